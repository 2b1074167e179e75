import type { RunEvent } from '../../../contracts/log/event.ts'
import type { ContentPart } from '../../../contracts/model/message.ts'
import type { ListQuery, Page } from '../../../contracts/page.ts'
import type { CostQuery, RunCosts } from '../../../contracts/run/figures/run-costs.ts'
import type { RunSummary } from '../../../contracts/run/figures/run-summary.ts'
import { ResumeInput } from '../../../contracts/run/resume-input.ts'
import type { Run, RunCreate } from '../../../contracts/run/run.ts'
import { isTerminal, toEndedRun } from '../../../contracts/run/run-end.ts'
import { type RunMessage, SteerInput } from '../../../contracts/run/run-message.ts'
import type {
  Asker,
  Caller,
  EndedRun,
  PrunedRuns,
  PruneQuery,
  Reach,
  RunResult,
  RunStartOptions,
  StartedRun,
} from '../../../contracts/runtime/runtime.ts'
import type { JsonSchema } from '../../../contracts/schema.ts'
import type { RunLimits } from '../../../contracts/store/run-row.ts'
import type {
  Command,
  Holder,
  MaybePromise,
  RunChange,
  RunFilters,
  RunQuery,
  RunRow,
  Store,
} from '../../../contracts/store/store.ts'
import type { ClientResult } from '../../../contracts/tool/client-tool.ts'
import type { RunStatus } from '../../../contracts/words.ts'
import { CapacityError, ConflictError, SvcError, ValidationError } from '../../../errors.ts'
import { createId, digest } from '../../../support/ids.ts'
import { isoTime } from '../../../support/iso-time.ts'
import { setLongTimer } from '../../../support/timers/long-timer.ts'
import { describeAbort } from '../../../text/describe-errors.ts'
import { findErrors, parse } from '../../../validate.ts'
import { toContent } from '../../calls/tools/tool-content.ts'
import type { Environment } from '../../environment.ts'
import { audit } from '../../observe/audit.ts'
import { publish } from '../../observe/event-bus.ts'
import { allOf, found } from '../../stores/paging.ts'
import { pruneRuns } from '../retention/prune-runs.ts'
import { removeRuns } from '../retention/remove-runs.ts'
import type { Failures } from './failures.ts'
import { costsOfRuns, isLeft, listRuns, summarizeRuns } from './list-runs.ts'
import { goOnFrom, newRow, type Takeover, toCreation } from './new-run.ts'
import { assertWithin, isElsewhere } from './place.ts'
import { checkContext, checkRequest } from './prepare-run.ts'
import type { RunQueue, Work } from './queue.ts'
import { budgetOf, findLoosening, raisedLimits } from './run-limits.ts'
import { touchThread } from './threads.ts'
import { asSeen, toRun, withUnread } from './to-run.ts'
import { withFiles } from './workspace-files.ts'

type Created = Awaited<ReturnType<Store['create']>>

/** Begins to work on new runs. */
export interface RunStarter {
  /** Takes up runs that nobody works on. */
  claim(): Promise<void>
  /** Makes a run and begins it where there is a place for it. @param make is handed who holds it then */
  make(
    row: RunRow,
    events: readonly RunEvent[],
    make: (holder: Holder | undefined) => MaybePromise<Created>,
  ): Promise<Created>
}

/** What any process can do with runs: it speaks to the store alone, and the process that holds a run reads it there. */
export class RunService {
  readonly #current: () => Environment
  readonly #store: Store
  readonly #queue: RunQueue
  readonly #failures: Failures
  readonly #worker: RunStarter
  #isClosing = false

  /**
   * @param current what new runs are made under
   * @param worker takes up what waits here
   */
  constructor(current: () => Environment, queue: RunQueue, failures: Failures, worker: RunStarter) {
    this.#current = current
    this.#store = current().store
    this.#queue = queue
    this.#failures = failures
    this.#worker = worker
  }

  get #env(): Environment {
    return this.#current()
  }

  /** Takes no new runs from now on. */
  close(): void {
    this.#isClosing = true
  }

  /** Makes a run and queues it; resolves once it is recorded. */
  async create(create: RunCreate, caller: Caller, options: RunStartOptions = {}, takeover?: Takeover): Promise<Run> {
    return (await this.start(create, caller, options, takeover)).run
  }

  /** The same, with what it comes to. */
  async start(
    create: RunCreate,
    caller: Caller,
    options: RunStartOptions = {},
    takeover: Takeover = {},
  ): Promise<StartedRun> {
    if (this.#isClosing) throw new CapacityError('shutting_down', 'the runtime is closing and takes no new runs')
    const asked = await checkRequest(this.#env, create)
    // A run that goes on from another has the files as they were.
    const isHanded = takeover.inherits === undefined && asked.files !== undefined
    const checked = isHanded ? await withFiles(this.#env, asked) : asked
    checkContext(checked.context)
    const { onLoosened } = options
    const loosened = onLoosened && findLoosening(this.#env, checked)
    if (loosened !== undefined) onLoosened?.(loosened)
    const { clock, configHash, deadlines } = this.#env
    const now = clock()
    const { maxQueueMs } = budgetOf(this.#env, checked)
    const row = newRow(createId('run', now), checked, isoTime(now), configHash, takeover)
    if (this.#env.cassette?.isUntrusted === true) row.tainted = true
    if (this.#env.space !== undefined) row.space = this.#env.space
    if (options.owner !== undefined) row.owner = options.owner
    if (row.owner === '') delete row.owner
    if (options.by !== undefined) row.by = options.by
    if (onLoosened !== undefined) row.bounded = true
    if (maxQueueMs !== undefined) row.startBy = now + maxQueueMs
    this.#auditTakeover(row, caller)
    const position = this.#queue.enter(row.id)
    const ended = this.#queue.endOf(row.id)
    let isNew = false
    try {
      const [, events, idempotency] = toCreation(this.#env, row, options, position, asked)
      if (maxQueueMs !== undefined)
        this.#queue.limitWait(
          row.id,
          deadlines.add(maxQueueMs, () => this.#queue.onLate(row.id)),
        )
      this.#queue.want(row.id, options)
      const { run, replayed, lease } = await this.#worker.make(row, events, (holder) =>
        this.#store.create(row, events, idempotency, undefined, holder),
      )
      isNew = !replayed
      if (isNew) for (const event of events) publish(this.#env, event)
      if (isNew) this.#touchThread(row)
      this.#queue.open(row.id)
      if (isNew && lease === undefined) this.#env.background.track('claiming runs', this.#worker.claim())
      if (!isNew) this.#acceptReplayed(run, options)
      if (options.signal !== undefined) this.#cancelBy(options.signal, run.id, caller)
      const done = this.#endOf(run.id, ended)
      done.catch(() => {}) // a failure reaches the callers that await it
      return { run: toRun(run), done }
    } finally {
      this.#queue.open(row.id)
      if (!isNew) this.#queue.leave(row.id)
    }
  }

  /** The run is there, whatever becomes of this. */
  #touchThread({ threadId, createdAt }: RunRow): void {
    if (threadId === undefined) return
    this.#env.background.run('changing the time of a thread', () => touchThread(this.#env, threadId, createdAt))
  }

  /** That a run goes on from another is somebody's decision. */
  #auditTakeover({ id, parentRunId, inherits, limits }: RunRow, caller: Caller): void {
    if (parentRunId === undefined) return
    const atSeq = inherits?.untilSeq
    const what = atSeq === undefined ? 'run.resumed' : 'run.forked'
    audit(this.#env, caller, what, { run: parentRunId, made: id, atSeq, tokenBudget: limits?.tokenBudget })
  }

  /** @throws ValidationError `idempotency_mismatch` for a run of another folder, which may use the same keys */
  #acceptReplayed(run: RunRow, { idempotencyKey, onReplayed }: RunStartOptions): void {
    if (isElsewhere(run, this.#env)) {
      const message = `the idempotency key "${idempotencyKey}" was used in ${run.space}: take a new one`
      throw new ValidationError('idempotency_mismatch', message)
    }
    onReplayed?.()
  }

  /** @param here settles where this process works on the run; others read its end in the store */
  async #endOf(id: string, here: Work): Promise<EndedRun> {
    return (await here) ?? toEndedRun(await this.#watch(id, (run) => isTerminal(run.status)))
  }

  #cancelBy(signal: AbortSignal, runId: string, caller: Caller): void {
    const stop = (): void =>
      this.#env.background.run(
        `cancelling run ${runId}`,
        async () => void (await this.cancel(runId, caller, describeAbort(signal))),
      )
    if (signal.aborted) {
      stop()
      return
    }
    signal.addEventListener('abort', stop, { once: true })
    const unwatch = this.#store.watch(runId, (_, change) => {
      if (change === 'events') return
      this.#env.background.run(`watching run ${runId}`, async () => {
        const row = await this.#store.runs.get(runId)
        if (row !== undefined && !isTerminal(row.status)) return
        signal.removeEventListener('abort', stop)
        unwatch()
      })
    })
  }

  /**
   * The run as it is seen: one that was asked to end is ending, and one that was answered waits no more, also before
   * the process that holds it has noticed.
   *
   * @throws NotFoundError `run_not_found`
   */
  async get(id: string, reach?: Reach): Promise<Run> {
    const [run] = await this.#see(id, reach)
    return run
  }

  /** The run as it is seen, and its row. */
  async #see(id: string, reach?: Reach): Promise<[run: Run, row: RunRow]> {
    // Before the row: a request that is taken in between is in the row by then.
    const commands = await this.#store.commands(id)
    const row = await this.row(id, reach)
    const run = withUnread(asSeen(row, commands), commands)
    return [!this.#queue.isAtWork(id) && (await isLeft(this.#store, row)) ? { ...run, left: true } : run, row]
  }

  /** @throws NotFoundError `run_not_found` */
  async row(id: string, reach: Reach = {}): Promise<RunRow> {
    const row = found(await this.#store.runs.get(id), 'run', id)
    assertWithin('run', row, reach, this.#env)
    return row
  }

  /** Those of this folder, where not all are asked for. */
  #within<Query extends object>({
    all = false,
    ...query
  }: Query & Reach): Omit<Query & Reach, 'all'> & { space?: string } {
    const { space } = this.#env
    if (all || space === undefined) return query
    const { space: asked = space } = query as { space?: string }
    if (asked === space) return { ...query, space }
    const message = 'names another folder, whose runs are looked at with all=1, by a key that may see them'
    throw new ValidationError('validation_failed', `/space ${message}`, { errors: [{ path: '/space', message }] })
  }

  /** @throws ValidationError for a status or a mode that there is not, and bounds that no run is within; `invalid_cursor` */
  async list(query: RunQuery & Reach = {}): Promise<Page<Run>> {
    return listRuns(this.#store, this.#within(query))
  }

  /** @throws ValidationError as `list` */
  async summary(filters: RunFilters & Reach = {}): Promise<RunSummary> {
    return summarizeRuns(this.#store, this.#within(filters))
  }

  /** @throws ValidationError `validation_failed` */
  async costs(query: CostQuery & Reach = {}): Promise<RunCosts> {
    return costsOfRuns(this.#store, this.#within(query))
  }

  /**
   * Resolves when the run is terminal or waits for a person, or after `ms`.
   *
   * @throws CapacityError `store_unavailable`, `shutting_down` when this process had to let the run go
   */
  wait(id: string, ms?: number, reach?: Reach): Promise<Run> {
    return this.#watch(id, ({ status }) => status === 'waiting' || isTerminal(status), ms, reach)
  }

  #watch(id: string, isOver: (run: Run) => boolean, ms?: number, reach?: Reach): Promise<Run> {
    return new Promise((resolve, reject) => {
      let hasEnded = false
      // An answer to what it waits for is recorded, and whether it asks something else then no new status says.
      let isAnswered = false
      const end = (settle: () => void): void => {
        if (hasEnded) return
        hasEnded = true
        unwatch()
        unwatchFailure()
        stopTimer?.()
        settle()
      }
      const look = (isTimeUp = false): void => {
        const failure = this.#failures.get(id)
        if (failure !== undefined) {
          end(() => reject(failure))
          return
        }
        const check = (run: Run, row: RunRow): void => {
          const wasAnswered = isAnswered
          isAnswered = row.status === 'waiting' && run.status !== 'waiting'
          if (isAnswered && !wasAnswered) look() // it may have asked since it was read
          const left = this.#failures.ofUnfinished(id)
          if (isTimeUp || (isOver(run) && !isTerminal(run.status))) end(() => resolve(run))
          else if (isTerminal(run.status)) {
            // A slow store shows the end before listeners have heard of it: who waited has heard everything.
            const done = (): void => end(() => resolve(run))
            if (!this.#queue.afterEnd(id, done)) done()
          } else if (left !== undefined) end(() => reject(left))
        }
        this.#see(id, reach)
          .then(([run, row]) => check(run, row))
          .catch((thrown: unknown) => end(() => reject(thrown)))
      }
      const unwatch = this.#store.watch(id, (_, change: RunChange, status) => {
        // A run that goes on is not what is waited for.
        if (isAnswered || (change !== 'events' && status !== 'running')) look()
      })
      const unwatchFailure = this.#failures.watch(id, look)
      const { clock } = this.#env
      const stopTimer = ms === undefined ? undefined : setLongTimer(clock() + ms, clock, () => look(true))
      look()
    })
  }

  /** @throws ConflictError `run_not_finished` */
  async result(id: string, reach?: Reach): Promise<RunResult> {
    const run = await this.get(id, reach)
    if (!isTerminal(run.status)) throw new ConflictError('run_not_finished', `run ${id} is ${run.status}: wait for it`)
    return run.result as RunResult
  }

  /** Asks the process that holds the run to end it. A run that has ended is answered as it is. */
  async cancel(id: string, caller: Caller, reason = 'cancelled by the user', by = 'user'): Promise<Run> {
    const run = await this.get(id)
    if (isTerminal(run.status) || run.status === 'cancelling') return run
    audit(this.#env, caller, 'run.cancelled', { run: id })
    const command = { id: createId('cmd', this.#env.clock()), kind: 'cancel' as const, reason, by }
    const recorded = this.#store.command(id, command)
    if (recorded !== undefined) await recorded
    return this.get(id)
  }

  /** Hands a message to the process that holds the run. @throws ConflictError `invalid_transition` where no agent would read it */
  async steer(id: string, caller: Caller, input: SteerInput, by = 'user'): Promise<RunMessage> {
    const { text } = parse(SteerInput, input, 'steer')
    const { status, mode } = await this.get(id)
    if (mode !== 'execute' || status === 'cancelling' || isTerminal(status)) {
      const why = mode === 'execute' ? `is ${status}` : `is of mode ${mode}, which has no agents`
      throw new ConflictError('invalid_transition', `run ${id} ${why}: what is to be done now is the task of a new run`)
    }
    const now = this.#env.clock()
    const message = { id: createId('msg', now), text, by, createdAt: isoTime(now) }
    audit(this.#env, caller, 'run.steered', { run: id, textSha256: digest(text) })
    await this.#store.command(id, { kind: 'message', ...message })
    return message
  }

  /**
   * Hands a waiting run its input, or makes a new run that goes on from the records of a finished one.
   *
   * @throws ConflictError `invalid_transition`; ValidationError for an input that fits no question, which stays open;
   *   RunError `log_corrupt` for a run whose log is damaged
   */
  async resume(id: string, caller: Caller, input: ResumeInput = {}, options: Asker = {}): Promise<Run> {
    parse(ResumeInput, input, 'resume')
    const row = await this.row(id)
    if (input.results !== undefined) {
      await this.#giveResults(id, input.results, options.by)
      return this.get(id)
    }
    if (row.status === 'waiting') {
      if (input.input === undefined) {
        const { calls, input: asked } = row.waiting ?? {}
        const what = asked !== undefined ? 'an input' : calls !== undefined ? 'results of its client' : 'an approval'
        const message = `run ${id} waits for ${what} in a process that works on it: answer it there, or from here`
        throw new ConflictError('invalid_transition', message)
      }
      await this.#giveInput(id, input.input, caller, options.by)
      return this.get(id)
    }
    if (row.status !== 'failed' && row.status !== 'incomplete' && row.status !== 'cancelled') {
      throw new ConflictError(
        'invalid_transition',
        `run ${id} is ${row.status}: only a waiting, failed, incomplete or cancelled run can be resumed`,
      )
    }
    if (input.input !== undefined)
      throw new ConflictError('invalid_transition', `run ${id} is ${row.status}: it waits for no input`)
    // What it goes on from has to be there as a whole: `log_corrupt` where it is not.
    await this.#store.steps(id)
    const events = await this.#store.events.list(id)
    const { create, takeover } = goOnFrom(row, events, this.#env.clock(), options)
    const { addBudget } = input
    // Whether what a stranger's run has done to others was done for this one, nobody knows.
    const origin = row.imported === true ? {} : { originRunId: row.originRunId ?? id }
    const inherits = { runId: id }
    if (addBudget === undefined) return this.create(create, caller, options, { ...takeover, ...origin, inherits })
    const limits = raisedLimits(this.#env, { ...row, create }, addBudget)
    // Who adds to it answers for it, whatever its maker may.
    const raised = { ...takeover, ...origin, inherits, limits, bounded: false }
    return this.create({ ...create, ...moreOf(create, limits) }, caller, options, raised)
  }

  /** @throws ValidationError for a call that the run does not wait for; then none of the results is taken */
  async #giveResults(id: string, results: readonly ClientResult[], by = 'user'): Promise<void> {
    const { waiting } = await this.get(id)
    const open = new Set((waiting?.calls ?? []).map((call) => call.id))
    const errors = results.flatMap((result, index) =>
      open.has(result.id) ? [] : [{ path: `/results/${index}/id`, message: 'is no call that the run waits for' }],
    )
    if (errors.length > 0)
      throw new ValidationError('validation_failed', `results: run ${id} does not wait for ${errors.length} of them`, {
        errors,
      })
    for (const { id: callId, content, isError = false } of results) {
      const parts: ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      const cmd = createId('cmd', this.#env.clock())
      await this.#store.command(id, { id: cmd, kind: 'result', callId, content: toContent(parts), isError, by })
    }
  }

  /** The first open question that the value fits gets it. @throws ConflictError `invalid_transition` where somebody else was first */
  async #giveInput(id: string, value: unknown, caller: Caller, by = 'user'): Promise<void> {
    const asked: { key: string; schema: JsonSchema | undefined }[] = []
    const given = await this.#inputsOf(id)
    for (const { key, effect, state, outcome } of await this.#store.steps(id)) {
      const isOpen = effect === 'wait' && state === 'begun'
      if (!isOpen || typeof outcome !== 'object' || outcome === null || !('input' in outcome)) continue
      asked.push({ key, schema: (outcome.input as { schema?: JsonSchema }).schema })
    }
    if (asked.length === 0) throw new ConflictError('invalid_transition', `run ${id} does not wait for an input`)
    const open = asked.filter(({ key }) => given.every((answer) => answer.key !== key))
    const [next] = open
    if (next === undefined) {
      // Who says the same once more was heard.
      if (given.some((answer) => isSame(answer.value, value))) return
      throw answered(id)
    }
    const meant = open.find(({ schema }) => schema === undefined || findErrors(schema, value).length === 0)
    if (meant === undefined) {
      parse(next.schema ?? {}, value, 'input')
      return
    }
    audit(this.#env, caller, 'question.answered', { run: id, answerSha256: digest(JSON.stringify(value) ?? '') })
    const command = {
      id: createId('cmd', this.#env.clock()),
      kind: 'input' as const,
      key: meant.key,
      value,
      by,
    }
    await this.#store.command(id, command)
    const { outcome, state } = (await this.#store.steps(id)).find(({ key }) => key === meant.key) ?? {}
    const first = (await this.#inputsOf(id)).find(({ key }) => key === meant.key)
    const counts = state === 'done' ? (outcome as { value?: unknown } | undefined)?.value : (first ?? command).value
    if (!isSame(counts, value)) throw answered(id)
  }

  /** Inputs that the holder of a run has not taken yet, the first one first: of those to one question it is the one that counts. */
  async #inputsOf(id: string): Promise<(Command & { kind: 'input' })[]> {
    return (await this.#store.commands(id)).filter((command) => command.kind === 'input')
  }

  /** @throws ConflictError `run_active` unless it is terminal, or cannot be read: such a run cannot go on either */
  async delete(id: string, caller: Caller): Promise<void> {
    const status = await this.#statusOf(id)
    if (status !== undefined && !isTerminal(status))
      throw new ConflictError('run_active', `run ${id} is ${status}: cancel it first`)
    audit(this.#env, caller, 'run.deleted', { run: id })
    await removeRuns(this.#env, [id])
  }

  /** @throws ValidationError `validation_failed` for an age that is none, and a status that no run ends with */
  async prune({ olderThanMs, ...query }: PruneQuery, caller: Caller): Promise<PrunedRuns> {
    const { status } = query
    if (!(olderThanMs >= 0)) throw wrongQuery('olderThanMs', `must be a number from 0 on, not ${olderThanMs}`)
    if (status !== undefined && !isTerminal(status))
      throw wrongQuery('status', `must be one that a run ends with, such as failed, not "${status}"`)
    if (query.dryRun !== true) audit(this.#env, caller, 'runs.pruned', { olderThanMs, status, all: query.all })
    return pruneRuns(this.#env, { endedBefore: this.#env.clock() - olderThanMs }, this.#within(query))
  }

  /** Undefined for a damaged run of this folder. */
  async #statusOf(id: string): Promise<RunStatus | undefined> {
    try {
      return (await this.row(id)).status
    } catch (thrown) {
      if (!SvcError.isInstance(thrown) || thrown.code !== 'log_corrupt') throw thrown
    }
    // Its row does not say which folder it is of: the list of the folder does.
    const list = async (page: ListQuery): Promise<Page<RunRow>> => this.#store.runs.list(this.#within(page))
    for await (const row of allOf(list, 'desc')) if (row.id === id) return undefined
    return found(undefined, 'run', id)
  }
}

/** What a request says so that its run has these limits, as far as they are set. */
const moreOf = (
  { budget }: RunCreate,
  { tokenBudget, budget: { maxTokens, maxSteps } }: RunLimits,
): Partial<RunCreate> => ({
  tokenBudget,
  budget: { ...budget, ...(maxTokens !== undefined && { maxTokens }), ...(maxSteps !== undefined && { maxSteps }) },
})

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const answered = (id: string): ConflictError =>
  new ConflictError('invalid_transition', `run ${id} is answered already: another answer came first`)

const wrongQuery = (field: string, message: string): ValidationError =>
  new ValidationError('validation_failed', `prune: /${field} ${message}`, { errors: [{ path: `/${field}`, message }] })
