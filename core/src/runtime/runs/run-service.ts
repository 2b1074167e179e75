import { setMaxListeners } from 'node:events'
import type { RunEvent } from '../../contracts/event.ts'
import type { Page } from '../../contracts/page.ts'
import type { Run, RunCreate } from '../../contracts/run.ts'
import { isTerminal } from '../../contracts/run.ts'
import type { ResumeInput, RunQuery, RunResult } from '../../contracts/runtime.ts'
import type { Store, StoredRun } from '../../contracts/store.ts'
import { CapacityError, ConflictError, LimitError, RunError, SvcError, toSvcError } from '../../errors.ts'
import { type ActiveRun, follow, newRun, snapshot } from '../active-run.ts'
import type { Waiting } from './approvals.ts'
import { cancelled } from '../concurrency.ts'
import { type Walk, walkCorridor } from '../pipeline/pipeline.ts'
import { createId, digest } from '../ids.ts'
import { isoTime } from '../iso-time.ts'
import { found, toPage } from '../stores/memory-store.ts'
import { RunQueue } from './queue.ts'
import { endingOf, toResult } from '../pipeline/result.ts'
import type { LiveRun } from './session.ts'
import { readRunEvents } from './run-events.ts'
import type { CheckedRun, RunFactory } from './prepare-run.ts'

/** Stops whatever a plugin left running when its run has ended. */
const ENDED = cancelled('the run has ended')
/** After this many recoveries in a row without a new record a run is given up. */
const MAX_RECOVERIES = 5
/** Timers set to more fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

interface CreateOptions {
  idempotencyKey?: string
  signal?: AbortSignal
  deltas?: boolean
}

/** The run whose records another takes over. */
interface Parent {
  id: string
  untilSeq?: number
  edit?: (outcome: unknown) => unknown
}

/** The life of runs: made, queued, walked, waited for, cancelled, resumed. */
export class Runs {
  readonly #store: Store
  readonly #factory: RunFactory
  readonly #queue: RunQueue
  readonly #active = new Map<string, ActiveRun>()
  /** Runs that are being made for an idempotency key. */
  readonly #coming = new Map<string, { bodyHash: string; made: Promise<Run> }>()
  readonly #changed = new Set<(run: Run) => void>()
  readonly #renewal: NodeJS.Timeout
  readonly #owner: string
  #closing = false

  constructor(store: Store, factory: RunFactory) {
    this.#store = store
    this.#factory = factory
    const { runningRuns = 8, queuedRuns = 1000 } = factory.limits
    this.#queue = new RunQueue(runningRuns, queuedRuns)
    this.#owner = createId('proc', factory.clock())
    this.#renewal = setInterval(() => void this.#renew(), Math.max(20, factory.leaseMs / 3))
    this.#renewal.unref()
  }

  /** Makes a run and queues it; resolves once it is recorded. */
  async create(create: RunCreate, options: CreateOptions = {}, parent?: Parent): Promise<Run> {
    if (this.#closing) throw new CapacityError('shutting_down', 'the runtime is closing and takes no new runs')
    const { idempotencyKey: key } = options
    if (key === undefined) return this.#make(create, options, parent, '')
    const bodyHash = digest(JSON.stringify(create))
    const same = (known: { bodyHash: string }): void => {
      if (known.bodyHash === bodyHash) return
      throw new SvcError('idempotency_mismatch', `the idempotency key "${key}" was used with another body`)
    }
    const coming = this.#coming.get(key)
    if (coming !== undefined) {
      same(coming)
      return this.get((await coming.made).id)
    }
    const made = this.#store.idempotency.get(key).then((known) => {
      if (known === undefined || known.expiresAt <= this.#factory.clock()) {
        return this.#make(create, options, parent, bodyHash)
      }
      same(known)
      return this.get(known.runId)
    })
    this.#coming.set(key, { bodyHash, made })
    return made.finally(() => this.#coming.delete(key))
  }

  async #make(create: RunCreate, options: CreateOptions, parent: Parent | undefined, bodyHash: string): Promise<Run> {
    const checked = await this.#factory.check(create)
    const place = this.#queue.enter()
    try {
      return await this.#makeIn(place.position, checked, create, options, parent, bodyHash)
    } finally {
      place.leave()
    }
  }

  async #makeIn(
    position: number,
    checked: CheckedRun,
    create: RunCreate,
    options: CreateOptions,
    parent: Parent | undefined,
    bodyHash: string,
  ): Promise<Run> {
    const now = this.#factory.clock()
    const id = createId('run', now)
    if (parent !== undefined) await this.#store.copyOutcomes(parent.id, id, parent.untilSeq, parent.edit)
    const run = newRun(id, create, isoTime(now), parent?.id)
    const active = await this.#open(run, checked, now, [], options.deltas)
    if (options.idempotencyKey !== undefined) {
      await this.#store.idempotency.put(options.idempotencyKey, { runId: id, bodyHash, expiresAt: now + 86_400_000 })
    }
    active.live.emit('run.created', {
      task: create.task,
      mode: run.mode,
      options: active.live.options,
      configHash: this.#factory.configHash,
      versions: this.#factory.versions,
    })
    if (position > 0) active.live.emit('run.queued', { position })
    await active.live.flush()
    await this.#save(active)
    this.#start(active, options.signal)
    return snapshot(active)
  }

  /** Goes on with what a process that is gone has left. */
  async recover(): Promise<void> {
    for await (const { run, create } of this.#stored()) {
      if (isTerminal(run.status) || this.#active.has(run.id)) continue
      const lease = await this.#store.lease(run.id, this.#owner, this.#factory.leaseMs)
      if (lease === undefined) continue
      const events = await this.#store.events.list(run.id)
      const checked = await this.#factory.check(create, run.id).catch((thrown: unknown) => toSvcError(thrown))
      if (checked instanceof Error) {
        // Left as it is, for a process that has what it needs.
        process.emitWarning(`run ${run.id} cannot be carried on: ${checked.message}`, 'SvcWarning')
        await this.#store.release(lease)
        continue
      }
      const recoveries = run.recoveries + 1
      const active = await this.#open(
        { ...run, recoveries, status: 'queued' },
        checked,
        Date.parse(run.createdAt),
        events,
      )
      active.live.emit('run.recovered', { recoveries, replayedEvents: events.length, indeterminate: [] })
      if (run.status === 'cancelling') active.controller.abort(cancelled('cancelled before a crash'))
      if (recoveries >= MAX_RECOVERIES) {
        active.controller.abort(
          new RunError('run_poisoned', `run ${run.id} was recovered ${recoveries} times without getting on`),
        )
      }
      await this.#save(active)
      this.#start(active, undefined)
    }
  }

  /** @throws NotFoundError `run_not_found` */
  async get(id: string): Promise<Run> {
    const active = this.#active.get(id)
    if (active !== undefined) return snapshot(active)
    return found(await this.#store.runs.get(id), 'run', id).run
  }

  async stored(id: string): Promise<StoredRun> {
    return found(await this.#store.runs.get(id), 'run', id)
  }

  async list(query: RunQuery = {}): Promise<Page<Run>> {
    const { status, threadId, tag, ...paging } = query
    const matches = (run: Run): boolean =>
      (status === undefined || run.status === status) &&
      (threadId === undefined || run.threadId === threadId) &&
      (tag === undefined || run.tags?.includes(tag) === true)
    const all: [string, Run][] = []
    for await (const { run } of this.#stored()) {
      const active = this.#active.get(run.id)
      const current = active === undefined ? run : snapshot(active)
      all.push([current.id, current])
    }
    return toPage(all, paging, matches)
  }

  /** Resolves when the run is terminal or waits for a person, or after `ms`. */
  async wait(id: string, ms?: number): Promise<Run> {
    const isDone = (run: Run): boolean => isTerminal(run.status) || run.status === 'waiting'
    const run = await this.get(id)
    if (isDone(run)) return run
    return new Promise((resolve) => {
      const timer =
        ms === undefined ? undefined : setTimeout(() => void this.get(id).then(done), Math.min(ms, LONGEST_TIMER_MS))
      const done = (changed: Run): void => {
        clearTimeout(timer)
        this.#changed.delete(look)
        resolve(changed)
      }
      const look = (changed: Run): void => {
        if (changed.id === id && isDone(changed)) done(changed)
      }
      this.#changed.add(look)
      // It may have ended between the first look and now.
      void this.get(id).then((current) => isDone(current) && done(current))
    })
  }

  /** @throws ConflictError `run_not_finished` */
  async result(id: string): Promise<RunResult> {
    const run = await this.get(id)
    if (!isTerminal(run.status)) throw new ConflictError('run_not_finished', `run ${id} is ${run.status}: wait for it`)
    return run.result as RunResult
  }

  async cancel(id: string, reason = 'cancelled by the user', by = 'user'): Promise<Run> {
    const run = await this.get(id)
    const active = this.#active.get(id)
    if (active === undefined || active.hasEnded === true) return run
    if (isTerminal(active.run.status) || active.run.status === 'cancelling') return snapshot(active)
    active.live.emit('run.cancelling', { reason, by })
    const changed = this.#change(active, { status: 'cancelling' })
    active.controller.abort(cancelled(reason)) // before a slow store has noted it
    active.skipQueue?.()
    await changed
    return snapshot(active)
  }

  /** Hands a waiting run its input, or makes a new run that goes on from the records of a finished one. */
  async resume(id: string, input: ResumeInput = {}): Promise<Run> {
    const run = await this.get(id)
    if (run.status === 'waiting') {
      await this.#factory.approvals.giveInput(id, input.input, 'user')
      return this.get(id)
    }
    if (run.status !== 'failed' && run.status !== 'incomplete' && run.status !== 'cancelled') {
      throw new ConflictError(
        'invalid_transition',
        `run ${id} is ${run.status}: only a waiting, failed, incomplete or cancelled run can be resumed`,
      )
    }
    const { create } = await this.stored(id)
    const { addBudget = 0 } = input
    const maxTokens = create.budget?.maxTokens
    const budget =
      addBudget > 0 && maxTokens !== undefined ? { budget: { ...create.budget, maxTokens: maxTokens + addBudget } } : {}
    const soft = addBudget > 0 ? { tokenBudget: (create.tokenBudget ?? this.#factory.tokenBudget) + addBudget } : {}
    return this.create({ ...create, ...budget, ...soft }, {}, { id })
  }

  async delete(id: string): Promise<void> {
    const run = await this.get(id)
    if (!isTerminal(run.status)) throw new ConflictError('run_active', `run ${id} is ${run.status}: cancel it first`)
    await this.#store.runs.delete(id)
    await this.#store.events.delete(id)
  }

  /** Events of a run from a number on, then as they come, until it ends. */
  events(
    id: string,
    options: { after?: number; deltas?: boolean; signal?: AbortSignal } = {},
  ): AsyncIterable<RunEvent> {
    return readRunEvents(
      id,
      {
        assertKnown: () => this.get(id),
        isActive: () => this.#active.has(id),
        recorded: (after) => this.#store.events.list(id, { after }),
        listen: (handler) => this.#factory.listen(handler),
      },
      options,
    )
  }

  async close(): Promise<void> {
    this.#closing = true
    const active = [...this.#active.values()]
    await Promise.all(active.map(({ run }) => this.cancel(run.id, 'the runtime was closed', 'runtime')))
    await Promise.all(active.map(({ run }) => this.wait(run.id, 2_000)))
    clearInterval(this.#renewal)
  }

  /** Stored runs, oldest first. */
  async *#stored(): AsyncGenerator<StoredRun> {
    for (let after: string | undefined; ; ) {
      const page = await this.#store.runs.list({ limit: 100, order: 'asc', ...(after === undefined ? {} : { after }) })
      yield* page.data
      if (page.nextCursor === undefined) return
      after = page.nextCursor
    }
  }

  async #open(
    run: Run,
    checked: Awaited<ReturnType<RunFactory['check']>>,
    createdMs: number,
    earlier: RunEvent[],
    deltas = true,
  ): Promise<ActiveRun> {
    const lease = await this.#store.lease(run.id, this.#owner, this.#factory.leaseMs)
    if (lease === undefined) throw new CapacityError('store_unavailable', `run ${run.id} is held by another process`)
    const controller = new AbortController()
    setMaxListeners(0, controller.signal) // every call in flight listens
    const active: ActiveRun = {
      run,
      create: checked.create,
      lease,
      controller,
      createdMs,
      waitingFor: [],
      live: undefined as unknown as LiveRun,
    }
    active.live = await this.#factory.live(run, checked, this.#store.journal(run.id, lease), controller, earlier, {
      onWaiting: (waiting, answered) => void this.#waiting(active, waiting, answered),
      onEvent: (event) => follow(active.run, event),
      deltas,
    })
    this.#active.set(run.id, active)
    return active
  }

  #start(active: ActiveRun, signal: AbortSignal | undefined): void {
    const stop = (): void => void this.cancel(active.run.id, 'aborted by the caller')
    signal?.addEventListener('abort', stop, { once: true })
    active.skipQueue = this.#queue.add({
      threadId: active.create.threadId,
      start: () => this.#work(active).finally(() => signal?.removeEventListener('abort', stop)),
    })
    if (signal?.aborted === true) stop()
  }

  async #work(active: ActiveRun): Promise<void> {
    const { live, create, controller, run } = active
    const startedMs = this.#factory.clock()
    const started = performance.now()
    const walk: Walk = {}
    let thrown: SvcError | undefined
    const maxWallMs = this.#factory.wallMsOf(create)
    const timer =
      maxWallMs === undefined
        ? undefined
        : setTimeout(
            () => controller.abort(new LimitError('run_timeout', `the run did not finish within ${maxWallMs} ms`)),
            Math.min(maxWallMs, LONGEST_TIMER_MS),
          )
    const task = this.#factory.taskOf(run, create, live.tools)
    try {
      await this.#change(active, {
        status: controller.signal.aborted ? active.run.status : 'running',
        startedAt: isoTime(startedMs),
      })
      live.emit('run.started', { attempt: run.recoveries + 1 })
      controller.signal.throwIfAborted()
      await walkCorridor(
        this.#factory.hooks,
        live,
        { task, mode: run.mode, plan: create.plan, pluginsOf: this.#factory.pluginsOf },
        walk,
      )
    } catch (error) {
      thrown = toSvcError(error)
    }
    clearTimeout(timer)
    const ending = endingOf(walk, thrown)
    await live.flush()
    const timing = {
      queuedMs: Math.max(0, startedMs - active.createdMs),
      durationMs: Math.round(performance.now() - started),
    }
    const result = toResult(run.mode, task, walk, live, ending, timing)
    live.emit(`run.${ending.status}`, { result })
    live.seal()
    active.hasEnded = true
    await live.flush()
    const { account } = live
    const error = ending.error?.toInfo() ?? (ending.status === 'failed' ? walk.execution?.error : undefined)
    await this.#change(active, {
      status: ending.status,
      finishedAt: isoTime(this.#factory.clock()),
      usage: account.total(),
      costUsd: account.costUsd(),
      result,
      ...(error === undefined ? {} : { error }),
      ...(ending.status === 'incomplete'
        ? { incomplete: { reason: walk.execution?.reason ?? ending.error?.code ?? 'limit' } }
        : {}),
    }).catch(() => {}) // The store is gone: the run stays as it was recorded, for the next process to take up.
    this.#active.delete(run.id)
    controller.abort(ENDED) // whatever a plugin left running
    await this.#factory.approvals.abandon(run.id).catch(() => {})
    await this.#store.release(active.lease).catch(() => {})
    for (const look of this.#changed) look(active.run)
  }

  async #waiting(active: ActiveRun, waiting: Waiting | undefined, answered: Waiting | undefined): Promise<void> {
    active.waitingFor =
      waiting === undefined ? active.waitingFor.filter((other) => other !== answered) : [...active.waitingFor, waiting]
    if (active.run.status === 'cancelling' || isTerminal(active.run.status)) return
    const { waiting: _, ...rest } = active.run
    active.run = rest
    const [first] = active.waitingFor
    if (first === undefined) return this.#change(active, { status: 'running' })
    const input = active.waitingFor.find((each) => 'input' in each)
    if (input === undefined) {
      const approvals = active.waitingFor.flatMap((each) => ('approval' in each ? [each.approval] : []))
      return this.#change(active, { status: 'waiting', waiting: { approvals } })
    }
    const { prompt, schema } = input.input
    return this.#change(active, { status: 'waiting', waiting: { input: { prompt, ...(schema && { schema }) } } })
  }

  async #change(active: ActiveRun, change: Partial<Run>): Promise<void> {
    active.run = { ...active.run, ...change, version: active.run.version + 1 }
    await this.#save(active)
    const current = snapshot(active)
    for (const look of this.#changed) look(current)
  }

  async #save(active: ActiveRun): Promise<void> {
    await this.#store.runs.put(active.run.id, { run: snapshot(active), create: active.create })
  }

  /** Keeps the leases; a run whose lease went to another process stops here. */
  async #renew(): Promise<void> {
    for (const active of this.#active.values()) {
      const lease = await this.#store.lease(active.run.id, this.#owner, this.#factory.leaseMs).catch(() => undefined)
      if (lease?.epoch !== active.lease.epoch) {
        active.controller.abort(
          new CapacityError('store_unavailable', `run ${active.run.id} was taken over by another process`),
        )
      }
    }
  }
}
