import type { Runtime, Thread } from '@svc/core'
import { toSafe } from '../../frame/io.ts'
import { renderMarkdown } from '../../render/markdown/markdown.ts'
import { count, oneLine } from '../../render/one-line.ts'
import { renderSaid } from '../../render/said.ts'
import { toAge } from '../../render/time.ts'
import { findId } from '../../session/find-id.ts'
import type { Choice } from '../editor/menu.ts'
import type { Chat } from './chat.ts'

const MOST = 30

/** Conversations of this folder with a turn, that first in which something was asked last: what was asked first, how long ago, and how many turns. */
async function conversationsOf({ runtime, threadId }: Chat): Promise<Choice[]> {
  const { data } = await runtime.threads.list({ order: 'activity', limit: MOST })
  const others = data.filter(({ id }) => id !== threadId)
  const choices = await Promise.all(others.map((thread) => toChoice(runtime, thread)))
  return choices.filter((choice) => choice !== undefined)
}

async function toChoice(runtime: Runtime, { id, title, updatedAt }: Thread): Promise<Choice | undefined> {
  const messages = await runtime.threads.messages(id)
  const tasks = messages.filter(({ role }) => role === 'user')
  const [first] = tasks
  if (first === undefined) return undefined
  const last = messages.at(-1)?.createdAt ?? updatedAt
  return {
    label: oneLine(title || first.content, 44),
    about: `${toAge(last)}, ${count(tasks.length, 'turn')}`,
    value: id,
  }
}

/** `/resume`: goes on with another conversation, and shows what was said last in it. */
export async function resume(chat: Chat, word: string): Promise<void> {
  const id = await chooseThread(chat, word)
  if (id === undefined) return
  await goOnWith(chat, id)
  await showLastTurn(chat)
}

/** Goes on with another one; a conversation in which nothing was said is not kept. */
export async function goOnWith(chat: Chat, id: string): Promise<void> {
  const { context, runtime, threadId: before } = chat
  if (id === before) return
  chat.threadId = id
  if ((await runtime.threads.messages(before)).length === 0) await runtime.threads.delete(before)
  context.io.err(`svc: ${id}\n`)
}

/** @returns undefined where the person left, or was shown a list */
async function chooseThread(chat: Chat, word: string): Promise<string | undefined> {
  const { context, runtime, screen } = chat
  if (word !== '') return findId(context, runtime, 'thread', word)
  const choices = await conversationsOf(chat)
  if (choices.length === 0) context.io.err('svc: there is no other conversation in this folder\n')
  else if (screen !== undefined) return screen.choose('Conversation:', choices)
  else context.io.err(choices.map(({ label, about, value }) => `  ${value}  ${label} (${about})\n`).join(''))
  return undefined
}

/** What was said last in a conversation, for somebody who comes back. */
export async function showLastTurn({ context: { io }, runtime, threadId }: Chat): Promise<void> {
  const messages = await runtime.threads.messages(threadId)
  const at = messages.findLastIndex(({ role }) => role === 'user')
  if (at < 0) return
  if (at > 0) io.err(`${io.paint.dim(`  … ${count(at, 'message')} before`)}\n`)
  const [asked, answered] = messages.slice(at)
  io.err(`\n${renderSaid(io.redact(asked?.content ?? ''), io)}`)
  const answer = io.redact(answered?.content ?? '')
  if (answer === '') return
  const isRendered = io.isOutTerminal && !io.isPlain
  io.out(`${isRendered ? renderMarkdown(answer, io.columns - 1, io.outPaint).join('\n') : toSafe(answer)}\n`)
}
