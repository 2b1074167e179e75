import type { Run, Runtime, UndoResult } from '@svc/sdk/remote'
import { mayDo } from '../../session/session.ts'
import type { Turn } from '../talk/turns.ts'
import { toTitle } from '../threads/title.ts'

/** A message that is to be sent again, and what is taken back with it. */
export interface Again {
  turn: Turn
  task: string
  /** Later runs of the conversation, oldest first. */
  later: readonly string[]
}

/**
 * Looks what files the turns changed that are taken back.
 *
 * @returns undefined where they changed none, or where this tab may not put them back
 */
export async function findChanges({ runs }: Runtime, { turn, later }: Again): Promise<UndoResult | undefined> {
  if (!mayDo('admin')) return undefined
  const found = await runs.undo(turn.runId, { also: [...later], dryRun: true })
  return found.files.length > 0 || found.conflicts.length > 0 ? found : undefined
}

/** Puts back the files of the turns. */
export const putBack = ({ runs }: Runtime, { turn, later }: Again): Promise<UndoResult> =>
  runs.undo(turn.runId, { also: [...later] })

/** Begins a conversation that goes on from before the message, with its new words. The other one stays. */
export async function sendAgain(
  { threads, runs }: Runtime,
  threadId: string,
  { turn, task }: Again,
  options: Parameters<Runtime['runs']['create']>[0],
): Promise<Run> {
  const { context } = turn.asked ?? {}
  const copy = await threads.copy(threadId, { before: turn.runId })
  // A conversation is called after what it begins with.
  const isFirst = (await threads.listMessages(copy.id, { limit: 1 })).data.length === 0
  if (isFirst) await threads.update(copy.id, { title: toTitle(task) })
  try {
    // Its material as it was.
    return await runs.create({ ...options, task, threadId: copy.id, ...(context !== undefined && { context }) })
  } catch (thrown) {
    // Nothing is said in it: the next try makes another.
    await threads.delete(copy.id).catch(() => {})
    throw thrown
  }
}
