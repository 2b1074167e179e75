import type { RunRow } from '../../../contracts/store/store.ts'
import { CancelledError, RunError } from '../../../errors.ts'
import { isoTime } from '../../../support/iso-time.ts'
import { TOOLS_KEY } from '../../calls/tools/tool-sources.ts'
import { NOTES_KEY } from '../../journal/folder-notes.ts'
import { THREAD_KEY, toRecorded, warnOfLeftOut } from '../../journal/thread-turns.ts'
import type { PreparedRun } from '../service/prepare-run.ts'
import type { RunSession } from '../session/session.ts'

/** Whether a run ought to have begun by now. */
export const isLate = ({ startedAt, startBy }: RunRow, nowMs: number): boolean =>
  startedAt === undefined && startBy !== undefined && startBy <= nowMs

/** Says in the log that a run starts, or goes on after a process that is gone. @param queuedMs how long it has waited to start */
export function announceStart(session: RunSession, row: RunRow, nowMs: number, queuedMs: number): void {
  const { recorder, facts } = session
  const { recoveries } = recorder.lives
  for (const warning of warnOfLeftOut(facts.thread)) recorder.warn(warning)
  for (const message of facts.notes.warnings) recorder.warn({ code: 'notes_untrusted', message })
  if (row.startedAt !== undefined) {
    if (row.released === true) recorder.patch({ released: undefined })
    recorder.emit('run.recovered', { recoveries, ...recorder.earlier.recovered })
  } else if (isLate(row, Date.parse(row.createdAt) + queuedMs)) {
    session.stop.stop(new RunError('queue_timeout', `the run waited ${queuedMs} ms for its turn, longer than it may`))
    return
  } else recorder.patch({ startedAt: isoTime(nowMs) })
  if (row.status === 'cancelling') session.stop.stop(new CancelledError('cancelled', 'cancelled before a crash'))
  else if (row.status !== 'waiting') recorder.emit('run.started', { attempt: recoveries + 1 })
}

/** Records which tools of sources a run is offered: they may be others after a crash, or in a fork. */
export async function recordTools({ recorder }: RunSession, { brought, warnings }: PreparedRun): Promise<void> {
  for (const warning of warnings) recorder.warn(warning)
  if (brought === undefined) return
  const ref = await recorder.keep(Buffer.from(JSON.stringify(brought)))
  if (!recorder.hasNoted(TOOLS_KEY)) recorder.note(TOOLS_KEY, { ref })
}

/**
 * Records what a run is sent of its folder and of its thread when it begins: it is sent the same after a crash, and so are forks and
 * replays.
 */
export async function recordTurns(
  { recorder, facts }: RunSession,
  { startedAt, threadId, create }: RunRow,
): Promise<void> {
  const { notes, warnings } = facts.notes
  const isFirst = startedAt === undefined && !recorder.hasNoted(NOTES_KEY)
  if (isFirst && notes.length + warnings.length > 0) recorder.note(NOTES_KEY, facts.notes)
  if ((threadId === undefined && create.turns === undefined) || startedAt !== undefined) return
  // A run that goes on from another has its turns, and keeps their images for itself.
  const recorded = await toRecorded(facts.thread, (bytes) => recorder.keep(bytes))
  if (!recorder.hasNoted(THREAD_KEY)) recorder.note(THREAD_KEY, recorded)
}
