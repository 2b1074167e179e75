import type { RunEvent } from '../../../contracts/log/event.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import { ForkInput } from '../../../contracts/run/fork-input.ts'
import type { ExecutionResult } from '../../../contracts/run/result.ts'
import type { Run } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import { RunView } from '../../../contracts/run/run-view.ts'
import type { KeyedRequest, ReplayResult, RunDiff } from '../../../contracts/runtime/runtime.ts'
import { ConflictError, RunError, SvcError, ValidationError } from '../../../errors.ts'
import { findChanges } from '../../../text/find-changes.ts'
import { parse } from '../../../validate.ts'
import { modelCallId } from '../../calls/model/model-call.ts'
import { toRecordedError } from '../../calls/model/recorded-error.ts'
import type { Environment } from '../../environment.ts'
import { type PipelineAnswers, runPipeline } from '../../pipeline/pipeline.ts'
import { createMemoryStore } from '../../stores/memory-store.ts'
import { prepareRun } from '../service/prepare-run.ts'
import type { RunService } from '../service/run-service.ts'
import { toRun } from '../service/to-run.ts'
import { comparable, findFirstDifference, isCompared } from '../session/compare-events.ts'
import { RunSession } from '../session/session.ts'
import { toolCallOf } from '../worker/takeover.ts'
import { isSameRun, readRunFile, writeRunFile } from './run-file.ts'

/** Looks back at runs: the log, replays, forks and differences. */
export class History {
  readonly #current: () => Environment
  readonly #runs: RunService

  constructor(current: () => Environment, runs: RunService) {
    this.#current = current
    this.#runs = runs
  }

  get #env(): Environment {
    return this.#current()
  }

  /** The run as a file: see `writeRunFile`. */
  async *export(id: string): AsyncGenerator<Uint8Array> {
    yield* writeRunFile(await this.#runs.row(id), this.#env)
  }

  /**
   * Puts an exported run that had ended beside the others; one that is here already is answered as it is.
   *
   * @throws ValidationError for a file that is no exported run, or another run of the same id; ConflictError
   *   `run_not_finished`
   */
  async import(source: AsyncIterable<Uint8Array>): Promise<Run> {
    const { store } = this.#env
    const { row, events, steps, payloads } = await readRunFile(source)
    const known = await store.runs.get(row.id)
    if (known !== undefined) {
      if (isSameRun(known, row)) return toRun(known)
      const message = `import: another run with the id ${row.id} is here: remove it first`
      throw new ValidationError('validation_failed', message, { errors: [{ path: '/0/run/id', message }] })
    }
    const { run } = await store.create(row, events, undefined, steps)
    if ((await store.steps(row.id)).length < steps.length) {
      await store.runs.delete(row.id)
      throw new SvcError('store_unavailable', 'import: this store keeps no steps of a run that ended elsewhere', {
        retryable: false,
      })
    }
    for (const bytes of payloads) await store.payloads.put(row.id, bytes)
    return toRun(run)
  }

  /**
   * A new run that takes over what was recorded up to an event, with changes.
   *
   * @throws NotFoundError; ValidationError for a number beyond the last event, results of calls not recorded by then, or
   *   an edit that is none
   */
  async fork(id: string, input: ForkInput, options: KeyedRequest = {}): Promise<Run> {
    const { atSeq, edits = {} } = parse(ForkInput, input, 'fork')
    const { lastSeq, create } = await this.#runs.row(id)
    if (atSeq > lastSeq) {
      throw new ValidationError(
        'validation_failed',
        `fork: /atSeq must be a whole number from 0 to ${lastSeq}, not ${atSeq}`,
        { errors: [{ path: '/atSeq', message: `must be a whole number from 0 to ${lastSeq}` }] },
      )
    }
    // As for a resumed run: `log_corrupt` where its log is damaged.
    const steps = await this.#env.store.steps(id)
    const { task, model, prompt, plan, toolResults } = edits
    // A plan says itself how its agents work together.
    const { topology: _, ...others } = create
    const changed = {
      ...(plan === undefined ? create : others),
      ...(task === undefined ? {} : { task }),
      ...(model === undefined ? {} : { model }),
      ...(prompt === undefined ? {} : { context: prompt }),
      ...(plan === undefined ? {} : { plan: plan as NonNullable<typeof create.plan> }),
    }
    if (toolResults !== undefined) checkToolResults(steps, atSeq, toolResults)
    const inherits = { runId: id, untilSeq: atSeq, ...(toolResults === undefined ? {} : { toolResults }) }
    return this.#runs.create(changed, options, { parentRunId: id, inherits })
  }

  /** Goes over a finished run again from its records alone and compares what happens with what happened. */
  async replay(id: string): Promise<ReplayResult> {
    const { store } = this.#env
    const row = await this.#runs.row(id)
    if (!isTerminal(row.status)) {
      throw new ConflictError(
        'run_not_finished',
        `run ${id} is ${row.status}: only a run that has ended can be replayed`,
      )
    }
    const events = await store.events.list(id)
    const steps = await store.steps(id)
    const scratch = createMemoryStore({ clock: this.#env.clock })
    scratch.create({ ...row, status: 'queued' }, [])
    const [claimed] = await scratch.claim('replay', { limit: 1, ttlMs: Number.POSITIVE_INFINITY })
    if (claimed === undefined) throw new ValidationError('validation_failed', `run ${id} cannot be replayed`)
    let divergence: ReplayResult['firstDivergence']
    let refused: string | undefined
    const failures = new Map(
      new RunView(events).modelCalls.flatMap(({ callId, error }) => (error === undefined ? [] : [[callId, error]])),
    )
    const env = this.#env
    const prepared = await prepareRun(env, row)
    if (prepared.failure !== undefined) throw prepared.failure
    const session = new RunSession(env, prepared, {
      store: scratch,
      lease: claimed.lease,
      events,
      steps,
      replay: {
        onDeliver: (recorded, emitted) => {
          if (divergence !== undefined || refused !== undefined || !isCompared(emitted)) return
          if (recorded !== undefined && comparable(recorded) === comparable(emitted)) return
          divergence = { seq: recorded?.seq ?? emitted.seq ?? 0, expected: recorded ?? null, actual: emitted }
        },
        refuse: (key) => {
          // A call that failed has no outcome; its failure is in the log.
          const failure = failures.get(modelCallId(id, key))
          if (failure !== undefined) return toRecordedError(failure)
          refused ??= key
          return new RunError('replay_diverged', `the replay came to a call that was not recorded: ${key}`)
        },
      },
    })
    const answers: PipelineAnswers = {}
    const { mode, create } = row
    await runPipeline(session, { task: prepared.task, mode, plan: create.plan }, answers).catch(() => {
      // How the run ends is in its events.
    })
    session.seal()
    // A run that was stopped has begun what it never recorded: it is the same as far as it went.
    if (divergence === undefined && refused !== undefined && wasStopped(row)) return { identical: true }
    const missing = session.recorder.missing.find(isCompared)
    if (divergence === undefined && refused !== undefined) {
      const actual = `the replay came to a call that was not recorded: ${refused}`
      divergence = { seq: missing?.seq ?? events.length, expected: missing ?? null, actual }
    } else if (divergence === undefined && missing !== undefined) {
      divergence = { seq: missing.seq ?? 0, expected: missing, actual: null }
    }
    return divergence === undefined ? { identical: true } : { identical: false, firstDivergence: divergence }
  }

  /** What differs between two finished runs. */
  async diff(a: string, b: string): Promise<RunDiff> {
    const [before, after] = await Promise.all([this.#runs.result(a), this.#runs.result(b)])
    const [one, two] = [before as ExecutionResult, after as ExecutionResult]
    const { store } = this.#env
    const [eventsA, eventsB] = await Promise.all([store.events.list(a), store.events.list(b)])
    const calls = (events: readonly RunEvent[]): unknown[] =>
      new RunView(events).toolCalls.map(({ tool, args, result }) => ({ tool, args, result }))
    const parted = findFirstDifference(eventsA, eventsB)
    return {
      plan: findChanges('/plan', bare(one.plan), bare(two.plan)),
      agents: findChanges('/agents', one.agents?.map(bareAgent), two.agents?.map(bareAgent)),
      toolCalls: findChanges('/toolCalls', calls(eventsA), calls(eventsB)),
      usage: findChanges('/usage', one.usage, two.usage),
      output: findChanges('/summary', one.summary, two.summary),
      ...(parted === undefined ? {} : { firstDivergence: { seq: parted } }),
    }
  }
}

const STOPS: ReadonlySet<string> = new Set(['run_timeout', 'loop_detected', 'run_poisoned'])

const wasStopped = ({ status, error }: Run): boolean => status === 'cancelled' || STOPS.has(error?.code ?? '')

const bare = (plan: ExecutionResult['plan']): unknown => (plan === undefined ? undefined : { ...plan, id: undefined })

const bareAgent = ({ agentId, name, role, model, status }: ExecutionResult['agents'][number]): unknown => ({
  agentId,
  name,
  role,
  model,
  status,
})

/** Another result can be given to a call that was recorded before the fork, and to no other. @throws ValidationError */
function checkToolResults(steps: readonly StepRow[], atSeq: number, results: Record<string, unknown>): void {
  const known = steps.flatMap(({ seq, outcome }) => (seq <= atSeq ? (toolCallOf(outcome) ?? []) : []))
  const wrong = Object.keys(results).find((callId) => !known.includes(callId))
  if (wrong === undefined) return
  const calls = known.length === 0 ? 'none' : known.join(', ')
  const message = `no tool call "${wrong}" has a result by event ${atSeq}; calls that have: ${calls}`
  throw new ValidationError('validation_failed', `fork: /edits/toolResults: ${message}`, {
    errors: [{ path: `/edits/toolResults/${wrong}`, message }],
  })
}
