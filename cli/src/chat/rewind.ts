import type { Runtime } from '@svc/core'
import { toShownText } from '@svc/core/client'
import { askChoice, askLine } from '../ask/prompt.ts'
import type { CommandContext } from '../frame/context.ts'
import { wrong } from '../line/wrong.ts'
import { fit } from '../render/width.ts'
import { printUndone, undoRuns } from '../undo/undo-runs.ts'

const PARTS = ['files', 'conversation', 'both'] as const
type Part = (typeof PARTS)[number]

interface Turn {
  runId: string
  task: string
}

/** The turns of a conversation, oldest first. */
async function turnsOf(runtime: Runtime, threadId: string): Promise<Turn[]> {
  const messages = await runtime.threads.messages(threadId)
  return messages.flatMap(({ role, runId, content }) => (role === 'user' ? [{ runId, task: content }] : []))
}

/** `/undo`: the files of the last run of a conversation are as they were before it. */
export async function undoLast(context: CommandContext, runtime: Runtime, threadId: string): Promise<void> {
  const last = (await turnsOf(runtime, threadId)).at(-1)
  if (last === undefined) throw wrong('/undo: nothing was done in this conversation yet')
  printUndone(context, await undoRuns(context, runtime, last.runId, {}, context.io.isInteractive))
}

/**
 * `/rewind <turn> <part>`: files, conversation or both are as they were when a turn had ended; 0 is the beginning. The
 * conversation goes on as another one, and this one stays as it is.
 *
 * @returns the conversation to go on with
 * @throws ValidationError for a turn or a part that there is not
 */
export async function rewind(
  context: CommandContext,
  runtime: Runtime,
  threadId: string,
  words: string,
): Promise<string> {
  const turns = await turnsOf(runtime, threadId)
  if (turns.length === 0) throw wrong('/rewind: nothing was said in this conversation yet')
  const [word, ...rest] = words.split(/\s+/).filter(Boolean)
  const turn = toTurn(word ?? (await pickTurn(context, turns)), turns.length)
  const part = toPart(rest.join(' ') || (await pickPart(context)))
  if (turn === undefined || part === undefined) return threadId
  const [first, ...also] = turns.slice(turn).map(({ runId }) => runId)
  if (first === undefined) throw wrong(`/rewind: turn ${turn} is the last one, so there is nothing after it`)
  if (part !== 'conversation') {
    const input = also.length > 0 ? { also } : {}
    const undone = await undoRuns(context, runtime, first, input, context.io.isInteractive)
    printUndone(context, undone)
    if (undone === undefined) return threadId
  }
  if (part === 'files') return threadId
  const { id } = await runtime.threads.copy(threadId, { before: first })
  context.io.err(`svc: ${id} goes on after turn ${turn}; ${threadId} stays as it is\n`)
  return id
}

function toTurn(word: string | undefined, last: number): number | undefined {
  if (word === undefined) return undefined
  const turn = /^\d{1,6}$/.test(word) ? Number(word) : Number.NaN
  if (turn >= 0 && turn <= last) return turn
  throw wrong(`/rewind: the turn must be a number from 0, the beginning, to ${last}, not "${word.slice(0, 80)}"`)
}

function toPart(word: string | undefined): Part | undefined {
  if (word === undefined) return undefined
  const part = PARTS.find((known) => known === word)
  if (part !== undefined) return part
  throw wrong(`/rewind takes back ${PARTS.join(', ')}, not "${word.slice(0, 80)}": /rewind 1 both`)
}

async function pickTurn({ io }: CommandContext, turns: readonly Turn[]): Promise<string | undefined> {
  if (!io.isInteractive) throw wrong('/rewind needs the number of a turn: /rewind 1 both')
  const lines = turns.map(({ task }, index) => {
    const text = toShownText(io.redact(task)).replace(/\s+/g, ' ')
    return `  ${index + 1}  ${fit(text, io.columns - 8)}\n`
  })
  io.show(`  0  the beginning\n${lines.join('')}`)
  const said = await askLine(io, 'Back to after which turn? ', new AbortController().signal)
  return said?.trim() || undefined
}

async function pickPart({ io }: CommandContext): Promise<string | undefined> {
  if (!io.isInteractive) throw wrong(`/rewind needs ${PARTS.join(', ')} after the turn: /rewind 1 both`)
  return askChoice(io, 'What?', PARTS, new AbortController().signal)
}
