import { resolve } from 'node:path'
import {
  ConflictError,
  type ExecutionResult,
  isTerminalEvent,
  type Mode,
  type Reach,
  type Run,
  type RunCreate,
  RunError,
  type RunEvent,
  type RunResult,
  type Runtime,
  RunView,
  SvcError,
} from '@svc/core'
import { shownStateOf } from '@svc/core/client'
import { askQuestions, sayQuestions } from '../ask/questions.ts'
import type { CommandContext } from '../frame/context.ts'
import { catchSignals } from '../frame/signals.ts'
import type { Progress } from '../progress/progress.ts'
import { printResult } from '../render/answer.ts'
import { renderClosingLine } from '../render/run/closing-line.ts'
import { type Outcome, reportOutcome, sayDim, sayFacts } from '../render/run/outcome.ts'
import { stayAlive } from './stay-alive.ts'

export interface FollowOptions {
  /** Whether a run that is left unfinished can be gone on with by another process. */
  isDurable: boolean
  /** True for a run of another process: what stops this command leaves the run as it is. Default false. */
  isWatched?: boolean
  /** True: where no person is there to ask, a run that waits for an answer is left as it is. Default false. */
  leavesAtQuestion?: boolean
  /** How far it is looked for the run; default this folder. */
  reach?: Reach
  /** Called with each event, before it is shown. */
  onEvent?(event: RunEvent): void
  /** Called when the run has ended, before its result is printed. */
  atEnd?(): void
  /** True: each result is JSON on a line of its own, where JSON is asked for. Default false. */
  isOneOfMany?: boolean
}

/**
 * Starts a run, says its id on standard error, and shows it until it ends.
 *
 * @returns the exit code
 * @throws ConflictError `run_active`
 */
export async function executeRun(
  context: CommandContext,
  runtime: Runtime,
  request: RunCreate,
  progress: Progress,
  options: FollowOptions,
): Promise<number> {
  const { id } = await startRun(context, runtime, request)
  sayRun(context, id)
  return followRun(context, runtime, id, progress, options)
}

/**
 * Runs of a thread are worked on one after the other: one that was left behind would keep the new one waiting.
 *
 * @throws ConflictError `run_active` where an unfinished run that nobody works on stands before it in its thread
 */
export async function startRun({ commandOf }: CommandContext, runtime: Runtime, request: RunCreate): Promise<Run> {
  const { threadId } = request
  const [run] = threadId === undefined ? [] : (await runtime.runs.list({ threadId, left: true, limit: 1 })).data
  if (run === undefined) return runtime.runs.create(request)
  throw new ConflictError(
    'run_active',
    `${threadId} has an unfinished run ${run.id} (${run.status}): ${commandOf(`runs resume ${run.id}`)} goes on with it, ${commandOf(`runs cancel ${run.id}`)} ends it`,
  )
}

/** Says which run is shown, for people who want to come back to it. */
export function sayRun({ flags, io }: CommandContext, id: string, from = ''): void {
  if (!flags.quiet && flags.output !== 'stream-json') io.err(`${io.paint.dim(`svc: ${id}${from}`)}\n`)
}

/**
 * Shows a run until it ends, asks the person at a terminal what it asks, and prints its result.
 *
 * Ctrl-C and the time-out cancel the run; SIGTERM releases it as it is, for the process that goes on with it.
 *
 * @returns the exit code
 */
export function followRun(
  context: CommandContext,
  runtime: Runtime,
  id: string,
  progress: Progress,
  options: FollowOptions,
): Promise<number> {
  // A run that waits, or is at work elsewhere, gives this process nothing to do.
  return stayAlive(follow(context, runtime, id, progress, options))
}

async function follow(
  context: CommandContext,
  runtime: Runtime,
  id: string,
  progress: Progress,
  { isDurable, isWatched = false, leavesAtQuestion = false, reach, onEvent, atEnd, isOneOfMany = false }: FollowOptions,
): Promise<number> {
  const { flags, io } = context
  const streams = flags.output === 'stream-json'
  const asks = io.isInteractive && !isWatched
  const folder = context.server === undefined ? resolve(flags.cwd ?? '') : undefined
  const left = new AbortController()
  let isWaiting = false
  const leave = (): void => {
    isWaiting = true
    left.abort()
  }
  const questions = asks
    ? askQuestions(runtime, io, progress, folder)
    : sayQuestions(runtime, context, { reach, ...(leavesAtQuestion && { onAsked: leave }) })
  let isReleased = false
  const stop = (reason: string): void => {
    if (isWatched) left.abort()
    // A store that fails also ends the run, and the run's own error says so.
    else void runtime.runs.cancel(id, reason).catch(() => {})
  }
  const signals = catchSignals(flags.timeoutMs, (reason, cause) => {
    if (cause !== 'SIGTERM' || isWatched || !isDurable) return stop(reason)
    isReleased = true
    questions.stop()
    void runtime.close().catch(() => {})
  })
  let mode: Mode = 'execute'
  let result: RunResult | undefined
  const hasClosingLine = !flags.quiet && !streams
  const view = new RunView()
  try {
    for await (const event of runtime.runs.events(id, { ...reach, signal: left.signal })) {
      onEvent?.(event)
      if (streams) io.outJson(event)
      if (event.type === 'stream.warning') {
        const shown = context.commandOf(`runs get ${id} --events`)
        throw new RunError('log_corrupt', `run ${id}: the rest of its log is damaged: ${shown} shows what can be read`)
      }
      progress.show(event)
      if (hasClosingLine) view.apply(event)
      questions.show(event)
      if (event.type === 'run.created') mode = event.data.mode
      if (isTerminalEvent(event)) result = event.data.result
    }
    if (!isReleased && !left.signal.aborted) await runtime.runs.wait(id, undefined, reach)
    questions.stop()
    progress.end()
    if (isWaiting && flags.output === 'json') io.outJson(await runtime.runs.get(id), 2)
    if (result === undefined) return isWaiting ? WAITS : (signals.exitCode() ?? 1)
    atEnd?.()
    if (streams) io.outJson({ result })
    else if (isOneOfMany && flags.output === 'json') io.outJson(result)
    else printResult(context, mode, result, (answer) => progress.hasSaid?.(answer) === true)
    const outcome: Outcome = 'status' in result ? (result as ExecutionResult) : { status: 'completed', warnings: [] }
    reportOutcome(outcome, context)
    if (!streams) sayFacts(outcome, context)
    if (hasClosingLine && 'timing' in result) sayDim(context, renderClosingLine(result as ExecutionResult, view))
    if (isDurable && !flags.quiet) sayHowToGoOn(context, id, outcome)
    if (outcome.status === 'completed') return 0
    return (isWatched ? undefined : signals.exitCode()) ?? shownStateOf(outcome).exitCode
  } catch (thrown) {
    const code = SvcError.isInstance(thrown) ? thrown.code : ''
    const isStoreGone = STORE_FAILURES.has(code)
    if (UNREACHED.has(code))
      io.err(`svc: run ${id} is the server's: ${context.commandOf(`runs watch ${id}`)} shows it\n`)
    if (isStoreGone && isDurable && !isWatched && !flags.quiet)
      io.err(`svc: run ${id} is left as it is recorded: ${context.commandOf(`runs resume ${id}`)} goes on with it\n`)
    if (!isReleased || !SvcError.isInstance(thrown) || thrown.code !== 'shutting_down') throw thrown
    progress.end()
    const message =
      context.server === undefined
        ? `run ${id} was released unfinished: svc runs resume ${id} goes on with it`
        : `the server goes on with run ${id}: ${context.commandOf(`runs watch ${id}`)} shows it`
    io.err(`svc: ${message}\n`)
    if (flags.output !== 'text') io.outJson({ error: { code: thrown.code, message, retryable: true }, runId: id })
    return 143
  } finally {
    signals.stop()
    questions.stop()
    progress.end()
  }
}

/** The exit code of a command that left a run where it waits for an answer. */
const WAITS = 8

const UNREACHED: ReadonlySet<string> = new Set(['connection_failed', 'connection_timeout'])
const STORE_FAILURES: ReadonlySet<string> = new Set(['store_unavailable', 'disk_full'])

/** Limits that a person can raise for what is left to do. */
const LIMITS: ReadonlySet<string> = new Set(['budget_exhausted', 'max_steps', 'run_timeout'])

/** Of these, what adding to the budget raises. */
const RAISED: ReadonlySet<string> = new Set(['budget_exhausted', 'max_steps'])

/** What was stopped from outside can be gone on with, and pays nothing again. */
function sayHowToGoOn({ io, commandOf }: CommandContext, id: string, { status, error, incomplete }: Outcome): void {
  const isStopped = status === 'cancelled' || error?.code === 'cancelled' || error?.retryable === true
  const isLimited = incomplete !== undefined && LIMITS.has(incomplete.reason)
  if (!isStopped && !isLimited) return
  const flag = RAISED.has(incomplete?.reason ?? '') ? ' --add-budget <tokens>' : ''
  io.err(`svc: ${commandOf(`runs resume ${id}${flag}`)} goes on with it\n`)
}
