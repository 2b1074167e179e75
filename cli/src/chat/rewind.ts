import { toShownText } from '@svc/core/client'
import { askChoice, askLine } from '../ask/prompt.ts'
import { wrong } from '../line/wrong.ts'
import { fit } from '../render/width.ts'
import { printUndone, undoRuns } from '../undo/undo-runs.ts'
import { type Chat, paused, type Turn, turnsOf } from './commands/chat.ts'

const PARTS = ['files', 'conversation', 'both'] as const
type Part = (typeof PARTS)[number]

const START = 'the beginning'

/** `/undo`: the files of the last run of a conversation are as they were before it. */
export async function undoLast(chat: Chat): Promise<void> {
  const last = (await turnsOf(chat)).at(-1)
  if (last === undefined) throw wrong('/undo: nothing was done in this conversation yet')
  await undo(chat, last.runId)
}

/** @returns whether it was done, and not refused by the person */
function undo(chat: Chat, runId: string, also: readonly string[] = []): Promise<boolean> {
  const { context, runtime } = chat
  return paused(chat, async () => {
    const input = also.length > 0 ? { also: [...also] } : {}
    const undone = await undoRuns(context, runtime, runId, input, context.io.isInteractive)
    printUndone(context, undone)
    return undone !== undefined
  })
}

/**
 * `/rewind <turn> <part>`: files, conversation or both are as they were when a turn had ended; 0 is the beginning. The
 * conversation goes on as another one, and this one stays as it is.
 *
 * @returns the conversation to go on with
 * @throws ValidationError for a turn or a part that there is not
 */
export async function rewind(chat: Chat, words: string): Promise<string> {
  const { context, runtime, threadId } = chat
  const turns = await turnsOf(chat)
  if (turns.length === 0) throw wrong('/rewind: nothing was said in this conversation yet')
  const [word, ...rest] = words.split(/\s+/).filter(Boolean)
  const turn = word === undefined ? await pickTurn(chat, turns) : toTurn(word, turns.length)
  if (turn === undefined) return threadId
  const part = rest.length === 0 ? await pickPart(chat) : toPart(rest.join(' '))
  if (part === undefined) return threadId
  const [first, ...also] = turns.slice(turn).map(({ runId }) => runId)
  if (first === undefined) throw wrong(`/rewind: turn ${turn} is the last one, so there is nothing after it`)
  if (part !== 'conversation' && !(await undo(chat, first, also))) return threadId
  if (part === 'files') return threadId
  const { id } = await runtime.threads.copy(threadId, { before: first })
  const after = turn === 0 ? `begins at ${START}` : `goes on after turn ${turn}`
  context.io.err(`svc: ${id} ${after}; ${threadId} stays as it is\n`)
  return id
}

function toTurn(word: string, last: number): number {
  const turn = /^\d{1,6}$/.test(word) ? Number(word) : Number.NaN
  if (turn >= 0 && turn <= last) return turn
  throw wrong(`/rewind: the turn must be a number from 0, ${START}, to ${last}, not "${word.slice(0, 80)}"`)
}

function toPart(word: string): Part {
  const part = PARTS.find((known) => known === word)
  if (part !== undefined) return part
  throw wrong(`/rewind takes back ${PARTS.join(', ')}, not "${word.slice(0, 80)}": /rewind 1 both`)
}

/** The turns but the last one, after which there is nothing, the newest first. */
async function pickTurn({ context: { io }, screen }: Chat, turns: readonly Turn[]): Promise<number | undefined> {
  if (!io.isInteractive) throw wrong('/rewind needs the number of a turn: /rewind 1 both')
  const choices = [{ task: START }, ...turns.slice(0, -1)]
    .map(({ task }, value) => ({ label: `${value}. ${toShownText(io.redact(task)).replace(/\s+/g, ' ')}`, value }))
    .reverse()
  if (screen !== undefined) return screen.choose('Back to the end of:', choices)
  io.show(choices.map(({ label }) => `  ${fit(label, io.columns - 4)}\n`).join(''))
  const said = await askLine(io, 'Back to after which turn? ')
  return said?.trim() ? toTurn(said.trim(), turns.length) : undefined
}

const ABOUT: Readonly<Record<Part, string>> = {
  files: 'what later turns changed is put back; the conversation stays',
  conversation: 'it goes on from there; files stay',
  both: '',
}

async function pickPart({ context: { io }, screen }: Chat): Promise<Part | undefined> {
  if (!io.isInteractive) throw wrong(`/rewind needs ${PARTS.join(', ')} after the turn: /rewind 1 both`)
  if (screen === undefined) return askChoice(io, 'What?', PARTS)
  return screen.choose(
    'Take back:',
    PARTS.map((value) => ({ label: value, about: ABOUT[value], value })),
  )
}
