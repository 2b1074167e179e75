import { toEndedRun } from '../../../contracts/run/run-end.ts'
import type { EndedRun } from '../../../contracts/runtime/runtime.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { LimitError, type SvcError, toSvcError } from '../../../errors.ts'
import { isoTime } from '../../../support/iso-time.ts'
import { outcomeOf } from '../../pipeline/outcome.ts'
import { type PipelineAnswers, runPipeline } from '../../pipeline/pipeline.ts'
import { toResult } from '../../pipeline/result.ts'
import type { PreparedRun } from '../service/prepare-run.ts'
import type { RunSession } from '../session/session.ts'
import { limitWork } from '../session/work-time.ts'
import { announceStart, recordTools, recordTurns } from './announce-start.ts'
import { leaveParted, settleDoubts } from './doubts.ts'

/** How its process holds a run. */
export interface Holding {
  /** Since when the run has waited in this process, by `performance.now()`; undefined where it was made elsewhere. */
  readonly queuedAt: number | undefined
  /** Somebody may have asked something of it before its session was there to hear of it. */
  readonly isAsked: boolean
  /** Changes meanwhile: the run goes on elsewhere, and nothing more is written of it. */
  readonly isReleased: boolean
}

/**
 * Takes a run through the pipeline and writes its end.
 *
 * @param missing what it needs and is not here, in words; empty: nothing
 * @returns undefined for a run that goes on elsewhere
 * @throws CapacityError `lease_lost`
 */
export async function executeRun(
  session: RunSession,
  prepared: PreparedRun,
  row: RunRow,
  held: Holding,
  missing: string,
): Promise<EndedRun | undefined> {
  const { recorder, stop, env } = session
  const startedMs = env.clock()
  const started = performance.now()
  const answers: PipelineAnswers = {}
  let thrown: SvcError | undefined
  const queuedMs = queuedFor(row, startedMs, held.queuedAt)
  await recordTurns(session, row)
  await recordTools(session, prepared)
  announceStart(session, row, startedMs, queuedMs)
  if (row.limits === undefined) recorder.patch({ limits: prepared.limits })
  // What was asked of the run while nobody held it comes before any call is made.
  if (held.isAsked) await session.control.readCommands()
  const stopClock = limitTime(session, prepared)
  try {
    stop.throwIfStopped()
    if (prepared.failure !== undefined) throw prepared.failure
    await settleDoubts(session, row, missing)
    await runPipeline(session, { task: prepared.task, mode: row.mode, plan: prepared.row.create.plan }, answers)
    // Plugins may go on without what was stopped.
    if (recorder.isSealed) stop.throwIfStopped()
  } catch (error) {
    // What a plugin threw because it was stopped says less than why it was stopped.
    thrown = toSvcError(stop.isStopped ? stop.reason : error)
  }
  stopClock()
  if (held.isReleased) return undefined
  if (thrown?.code === 'lease_lost') throw thrown
  if (thrown?.code === 'replay_diverged' && row.startedAt !== undefined && env.cassette === undefined) {
    await leaveParted(session, row, thrown, missing)
    return undefined
  }
  const outcome = outcomeOf(answers, thrown, recorder.whole, row.create)
  warnOfOvershoot(recorder, prepared.ledger, outcome.reason)
  session.control.messages.warnOfUnread()
  const timing = { queuedMs, durationMs: Math.round(performance.now() - started) }
  const result = toResult(row.mode, prepared.task, answers, session, outcome, timing)
  const verdict = 'verdict' in result ? result.verdict : undefined
  recorder.patch({
    finishedAt: isoTime(env.clock()),
    result,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
    ...(outcome.reason === undefined ? {} : { incomplete: { reason: outcome.reason } }),
    ...(verdict && { verdict }),
  })
  session.closeQuestions()
  recorder.emit(`run.${outcome.status}`, { result })
  session.seal()
  const written = recorder.commit()
  // What was put off may leave in the same transaction: it is begun before this one is.
  env.background.run(`what run ${row.id} put off`, () => session.context.runDeferred())
  await written
  return toEndedRun({ ...outcome, verdict, id: row.id, mode: row.mode, result })
}

/** How long a run has waited to start, in milliseconds: by a clock that may be moved only where nothing else is known. */
function queuedFor({ createdAt, startedAt }: RunRow, nowMs: number, queuedAt: number | undefined): number {
  if (startedAt === undefined && queuedAt !== undefined) return Math.ceil(performance.now() - queuedAt)
  return Math.max(0, (startedAt === undefined ? nowMs : Date.parse(startedAt)) - Date.parse(createdAt))
}

/** Says by how much a run went beyond its budget; that its soft budget is used up says the reason of one that it stopped. */
function warnOfOvershoot(
  recorder: RunSession['recorder'],
  { used, softTokens, hardTokens }: PreparedRun['ledger'],
  reason: string | undefined,
): void {
  const [limit, name] = used > hardTokens ? [hardTokens, 'hard limit'] : [softTokens, 'budget']
  if (used <= limit || (limit === softTokens && reason === 'budget_exhausted')) return
  const message = `the run was charged ${used} tokens, ${used - limit} more than its ${name} of ${limit}`
  recorder.warn({ code: 'budget_overshot', message })
}

/** Stops the run when its time of work is over. @returns how to call that off */
function limitTime({ recorder, stop, env }: RunSession, { limits }: PreparedRun): () => void {
  const { maxWallMs } = limits.budget
  if (maxWallMs === undefined) return () => {}
  return limitWork(recorder, {
    leftMs: maxWallMs - recorder.earlier.workedMs,
    deadlines: env.deadlines,
    onTimeUp: () => stop.stop(new LimitError('run_timeout', `the run did not finish within ${maxWallMs} ms of work`)),
  })
}
