import type { Runtime, Thread } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { renderMarkdown } from '../../render/markdown/markdown.ts'
import { count, oneLine } from '../../render/one-line.ts'
import { toAge } from '../../render/time.ts'
import { findId } from '../../session/find-id.ts'
import type { Choice } from '../editor/menu.ts'
import type { ChatScreen } from '../screen.ts'

const MOST = 30

/** Conversations of this folder with a turn, the newest first: what was asked first, how long ago, and how many turns. */
export async function conversationsOf(runtime: Runtime, except?: string): Promise<Choice[]> {
  const { data } = await runtime.threads.list({ limit: MOST })
  const choices = await Promise.all(data.filter(({ id }) => id !== except).map((thread) => toChoice(runtime, thread)))
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

/** `/resume`: the conversation to go on with; undefined where the person left, or was shown a list. */
export async function chooseThread(
  context: CommandContext,
  runtime: Runtime,
  screen: ChatScreen | undefined,
  word: string,
  now?: string,
): Promise<string | undefined> {
  if (word !== '') return findId(context, runtime, 'thread', word)
  const choices = await conversationsOf(runtime, now)
  if (choices.length === 0) context.io.err('svc: there is no other conversation in this folder\n')
  else if (screen !== undefined) return screen.choose('Conversation:', choices)
  else context.io.err(choices.map(({ label, about, value }) => `  ${value}  ${label} (${about})\n`).join(''))
  return undefined
}

/** What was said last in a conversation, for somebody who comes back. */
export async function showLastTurn({ io }: CommandContext, runtime: Runtime, threadId: string): Promise<void> {
  const messages = await runtime.threads.messages(threadId)
  const at = messages.findLastIndex(({ role }) => role === 'user')
  if (at < 0) return
  if (at > 0) io.err(`${io.paint.dim(`  … ${count(at, 'message')} before`)}\n`)
  const [asked, answered] = messages.slice(at)
  io.err(`\n> ${toSafe(io.redact(asked?.content ?? ''))}\n`)
  const answer = io.redact(answered?.content ?? '')
  if (answer === '') return
  const isRendered = io.isOutTerminal && !io.isPlain
  io.out(`${isRendered ? renderMarkdown(answer, io.columns - 1, io.outPaint).join('\n') : toSafe(answer)}\n`)
}
