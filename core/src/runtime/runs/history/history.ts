import type { RunEvent } from '../../../contracts/log/event.ts'
import { ForkInput } from '../../../contracts/run/fork-input.ts'
import type { ExecutionResult } from '../../../contracts/run/result.ts'
import type { Run } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { RunLock } from '../../../contracts/run/run-lock.ts'
import { RunView } from '../../../contracts/run/run-view.ts'
import type { Caller, KeyedRequest, Reach, ReplayResult, RunDiff } from '../../../contracts/runtime/runtime.ts'
import type { Store } from '../../../contracts/store/store.ts'
import { ConflictError, SvcError, ValidationError } from '../../../errors.ts'
import { findChanges } from '../../../text/find-changes.ts'
import { parse } from '../../../validate.ts'
import { ModelCatalog } from '../../calls/model/model-catalog.ts'
import type { Environment } from '../../environment.ts'
import { audit } from '../../observe/audit.ts'
import { createEventBus } from '../../observe/event-bus.ts'
import { Failures } from '../service/failures.ts'
import { goOnFrom, toImported } from '../service/new-run.ts'
import { RunQueue } from '../service/queue.ts'
import type { RunService } from '../service/run-service.ts'
import { toRun } from '../service/to-run.ts'
import { findFirstDifference } from '../session/recovery/compare-events.ts'
import { Worker } from '../worker/worker.ts'
import { RunCassette } from './cassette/cassette.ts'
import { checkPoint, checkToolResults, withEdits, wrongFork } from './fork-check.ts'
import { assertNoneMissing, missingOf } from './recorded-parts.ts'
import { replayIn, standInsOf, toReplayResult } from './replay.ts'
import { isSameRun, readRecording, readRunFile, writeRunFile } from './run-file.ts'

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
  async *export(id: string, reach?: Reach): AsyncGenerator<Uint8Array> {
    yield* writeRunFile(await this.#runs.row(id, reach), this.#env)
  }

  /**
   * Puts an exported run that had ended beside the others of this folder; one that is here already is answered as it is.
   *
   * @throws ValidationError for a file that is no exported run, or another run of the same id; ConflictError
   *   `run_not_finished`
   */
  async import(source: AsyncIterable<Uint8Array>, caller: Caller): Promise<Run> {
    const { store, space } = this.#env
    const { row, events, steps, payloads } = await readRunFile(source)
    const known = await store.runs.get(row.id)
    if (known !== undefined) {
      if (isSameRun(known, row)) return toRun(known)
      const message = `import: another run with the id ${row.id} is here: remove it first`
      throw new ValidationError('validation_failed', message, { errors: [{ path: '/0/run/id', message }] })
    }
    audit(this.#env, caller, 'run.imported', { run: row.id })
    const { run } = await store.create(toImported(row, space), events, undefined, steps)
    if ((await store.steps(row.id)).length < steps.length) {
      await store.runs.delete(row.id)
      throw new SvcError('store_unavailable', 'import: this store keeps no steps of a run that ended elsewhere', {
        retryable: false,
      })
    }
    try {
      for (const bytes of payloads) await store.payloads.put(row.id, bytes)
    } catch (thrown) {
      await store.runs.delete(row.id)
      throw thrown
    }
    return toRun(run)
  }

  /**
   * A new run that takes over what was recorded up to an event, with changes. Without `atSeq` it begins before the first
   * event that an edit reaches.
   *
   * @throws NotFoundError; ValidationError for a fork that changes nothing, a number beyond the last event, results of calls
   *   not recorded by then, or an edit that is none
   */
  async fork(id: string, caller: Caller, input: ForkInput, options: KeyedRequest = {}): Promise<Run> {
    const { atSeq: wanted, edits = {} } = parse(ForkInput, input, 'fork')
    const row = await this.#runs.row(id)
    const { lastSeq } = row
    if (wanted !== undefined && wanted > lastSeq)
      throw wrongFork('/atSeq', `must be a whole number from 0 to ${lastSeq}, not ${wanted}`)
    // As for a resumed run: `log_corrupt` where its log is damaged.
    const { store, clock } = this.#env
    const [steps, events] = [await store.steps(id), await store.events.list(id)]
    const { toolResults } = edits
    if (toolResults !== undefined) checkToolResults(steps, wanted ?? lastSeq, toolResults)
    const { atSeq } = checkPoint(row, events, edits, wanted)
    if (toolResults !== undefined) checkToolResults(steps, atSeq, toolResults)
    const { create, takeover } = goOnFrom(row, events, clock(), options)
    const inherits = { runId: id, untilSeq: atSeq, ...(toolResults === undefined ? {} : { toolResults }) }
    return this.#runs.create(withEdits(create, edits), caller, options, { ...takeover, inherits })
  }

  /**
   * Goes over a finished run again from its records alone and compares what happens with what happened.
   *
   * @throws ConfigError `plugin_load_failed` where plugins or tools of the run are not here
   */
  async replay(id: string): Promise<ReplayResult> {
    const env = this.#env
    const row = await this.#runs.row(id)
    if (!isTerminal(row.status)) {
      throw new ConflictError(
        'run_not_finished',
        `run ${id} is ${row.status}: only a run that has ended can be replayed`,
      )
    }
    const recording = await readRecording(row, env)
    const here = new Set(env.hooks.taps().map(({ plugin }) => plugin))
    assertNoneMissing(missingOf(recording, here, env.tools.ids()))
    const cassette = new RunCassette(recording, 'strict')
    return toReplayResult(
      await replayIn(cassette, {}, (store) => executeApart(id, env, cassette, recording.lock, store)),
    )
  }

  /** What differs between two finished runs. */
  async diff(a: string, b: string, reach?: Reach): Promise<RunDiff> {
    const [before, after] = await Promise.all([this.#runs.result(a, reach), this.#runs.result(b, reach)])
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

/** Works on a run of another store under an environment that calls, tells and keeps nothing. */
async function executeApart(
  id: string,
  env: Environment,
  cassette: RunCassette,
  lock: RunLock,
  store: Store,
): Promise<void> {
  const { clock } = cassette
  const providers = new Map(standInsOf(lock).map((provider) => [provider.id, provider]))
  const known = { get: (id: string) => providers.get(id), ids: () => [...providers.keys()] }
  const catalog = new ModelCatalog(known, lock.defaultModel, clock)
  const buses = { bus: createEventBus(), pluginBus: createEventBus() }
  // The others of its settings are in the records that it is compared with.
  const { smallModel: _now, ...others } = env.config
  const { smallModel } = lock.config
  const config = { ...others, ...(smallModel !== undefined && { smallModel }) }
  const apart: Environment = { ...env, ...buses, store, cassette, clock, catalog, config, claims: 'own' }
  const failures = new Failures()
  const queue = new RunQueue(1, 1)
  const ended = queue.endOf(id)
  await new Worker(() => apart, queue, failures).adopt(id)
  if ((await ended) !== undefined) return
  throw failures.get(id) ?? new SvcError('internal_error', `run ${id} cannot be replayed`)
}

const bare = (plan: ExecutionResult['plan']): unknown => (plan === undefined ? undefined : { ...plan, id: undefined })

const bareAgent = ({ agentId, name, role, model, status }: ExecutionResult['agents'][number]): unknown => ({
  agentId,
  name,
  role,
  model,
  status,
})
