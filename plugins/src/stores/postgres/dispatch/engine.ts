import { hash } from 'node:crypto'
import { createId, SvcError } from '@svc/core'
import { type Database, transact } from '../database.ts'
import type { PgPool } from '../load-pg.ts'
import {
  type Dbos,
  loadDbos,
  NEVER_MS,
  type Queue,
  type Workflow,
  type WorkflowFilter,
  type WorkflowStatus,
} from './load-dbos.ts'
import type { Places } from './places.ts'
import { prepareQueue, SCHEMA } from './queue-tables.ts'

/** Of those who work on the runs of all spaces; each space has one of its own. */
const QUEUE = 'svc-runs'
const WORKFLOW = 'svc-run'
/** Of how runs are handed out, not of svc: a ticket may be taken by a worker of any version. */
const VERSION = '1'
const CONNECTIONS = 4
const MINUTE_S = 60
/** How long what has ended is kept: the limit on starts counts it. */
const KEPT_MS = 2 * MINUTE_S * 1_000
/** DBOS asks a server that does not answer again for ever. */
const PATIENCE_MS = 5_000
const MOST_TRIES = 5
const EXECUTOR = 'svc-'
const ENDED = ['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED']
const ALL = { limit: 1_000, loadInput: false, loadOutput: false } as const
/** How long a ticket that was taken may take to be at work. */
const LEFT_MS = 10_000
/** Of the lock under which tickets are taken while limits hold over all processes; a number that nobody else uses. */
const LOCK_CLASS = 7_364_006
/** How long a ticket waits for a place in a process that is full of runs without tickets. */
const FULL_MS = 1_000

/** Limits over all processes that share a database. */
export interface SharedLimits {
  /** Runs at work at once. */
  runningRuns?: number
  startsPerMinute?: number
}

export interface EngineOptions {
  limits: SharedLimits
  /** False: tables that are missing or older are refused. */
  mayMigrate: boolean
  /** The number of this process: see `Owners`. */
  process: number
  /** Only runs of this space, and those of none. Undefined: all. */
  space: string | undefined
}

/** A worker in this process, to whom runs are handed. */
export interface Worker {
  readonly places: Places
  /**
   * Works on runs that wait, one after the other.
   *
   * @param isOne on one at most
   * @returns false where there was none
   */
  work(isOne: boolean): Promise<boolean>
}

const SILENT = { info() {}, debug() {}, warn() {}, error() {} }

/** DBOS holds what it is in static fields, so that there is one in a process, for one database and space. */
let current: { url: string; space: string | undefined; engine: Engine; workers: Set<Worker> } | undefined
/** Starts and ends follow each other. */
let turn: Promise<unknown> = Promise.resolve()

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = turn.then(work)
  turn = done.catch(() => {})
  return done
}

/** Puts tickets into the queue: each lets one worker take whose run is next, as a workflow of DBOS. */
export class Engine {
  readonly #dbos: Dbos
  readonly #pool: PgPool
  readonly #executor: string
  readonly #workflow: Workflow
  #queue: Queue
  /** Tickets at work here. */
  readonly #atWork = new Set<string>()
  /** Tickets that were taken here and are not at work, and since when: `performance.now()`. */
  #left = new Map<string, number>()
  /** Tickets that led to no run. */
  #vain: string[] = []

  private constructor(dbos: Dbos, pool: PgPool, executor: string, workflow: Workflow, queue: Queue) {
    this.#dbos = dbos
    this.#pool = pool
    this.#executor = executor
    this.#workflow = workflow
    this.#queue = queue
  }

  /**
   * Starts DBOS, or joins the one that works for the same database.
   *
   * @throws SvcError `store_unavailable`
   */
  static join(db: Database, settings: EngineOptions, worker: Worker): Promise<Engine> {
    return inTurn(async () => {
      const dbos = await loadDbos()
      if (current === undefined) {
        if (dbos.transact.isInitialized()) throw taken(db, 'another part of this program runs DBOS')
        await prepareQueue(db, settings.mayMigrate)
        const engine = await db.patiently(() => Engine.#start(dbos, db, settings, worker))
        current = { url: db.url, space: settings.space, engine, workers: new Set() }
      } else if (current.url !== db.url) throw taken(db, 'this process works on the runs of another database')
      else if (current.space !== settings.space) throw taken(db, 'this process works on the runs of another project')
      current.workers.add(worker)
      return current.engine
    })
  }

  static async #start(
    dbos: Dbos,
    db: Database,
    { limits, space, process: own }: EngineOptions,
    { places }: Worker,
  ): Promise<Engine> {
    const { transact } = dbos
    const pool = db.newPool(CONNECTIONS)
    const executor = `${EXECUTOR}${own}`
    try {
      transact.setConfig({
        name: 'svc',
        systemDatabasePool: pool,
        systemDatabaseUrl: db.url,
        systemDatabaseSchemaName: SCHEMA,
        applicationVersion: VERSION,
        // A name of its own: a process that starts takes up nothing of another that may be alive.
        executorID: executor,
        listenQueues: [],
        runMigrations: false,
        useListenNotify: false,
        schedulerPollingIntervalMs: NEVER_MS,
        logger: SILENT,
      })
      const workflow = transact.registerWorkflow(offer, { name: WORKFLOW })
      await transact.launch()
      // It would ask all the time; here it asks when a note says that a run waits.
      dbos.stopPolling()
      const { runningRuns = Number.POSITIVE_INFINITY, startsPerMinute } = limits
      const queue = await transact.registerQueue(space === undefined ? QUEUE : queueOf(space), {
        workerConcurrency: Math.min(places.limit, runningRuns),
        ...(Number.isFinite(runningRuns) && { globalConcurrency: runningRuns }),
        ...(startsPerMinute !== undefined && {
          rateLimit: { limitPerPeriod: startsPerMinute, periodSec: MINUTE_S },
        }),
        onConflict: 'always_update',
      })
      return new Engine(dbos, pool, executor, workflow, queue)
    } catch (thrown) {
      await transact.shutdown({ deregister: true, workflowCompletionTimeoutMS: 0 }).catch(() => {})
      await pool.end()
      throw thrown
    }
  }

  /** Stops handing runs to a worker, and DBOS with the last of them. */
  leave(worker: Worker, drainMs: number): Promise<void> {
    return inTurn(async () => {
      if (current?.engine !== this || !current.workers.delete(worker) || current.workers.size > 0) return
      current = undefined
      await this.#dbos.transact.shutdown({ deregister: true, workflowCompletionTimeoutMS: drainMs })
      await this.#pool.end()
    })
  }

  /** Has so many tickets in the queue at least, and takes as many as there are places here. */
  async ask(count: number): Promise<void> {
    await this.#removeVain()
    const { concurrency, rateLimit } = this.#queue
    // Without limits over all processes, who asks takes all there are.
    const isLimited = concurrency !== undefined || rateLimit !== undefined
    const asked = isLimited ? (await this.#list('ENQUEUED', { limit: count })).length : 0
    if (asked < count) await soon(this.#enqueue(count - asked))
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const free = [...(current?.workers ?? [])].reduce((sum, { places }) => sum + places.limit - places.taken, 0)
      // DBOS takes away those that are at work.
      this.#queue.workerConcurrency = this.#atWork.size + free
      if (await (isLimited ? this.#takeAlone() : this.#take())) return
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 20 * 2 ** tries))
    }
  }

  /**
   * Removes tickets of processes that are gone and those that were used long ago, and reads what the queue allows.
   *
   * @param gone their numbers
   * @returns numbers of the other processes that are at tickets
   */
  async sweep(gone: readonly number[]): Promise<number[]> {
    const { name } = this.#queue
    this.#queue = (await soon(this.#dbos.transact.retrieveQueue(name))) ?? this.#queue
    const pending = await this.#list('PENDING')
    const taken = pending.filter(({ executorId }) => executorId !== this.#executor)
    const left = pending.filter(
      ({ workflowID: id, executorId }) => executorId === this.#executor && !this.#atWork.has(id),
    )
    // A database that crashed may have lost the end of what was at work; what just begins or ends is not left for so long.
    const time = performance.now()
    this.#left = new Map(left.map(({ workflowID: id }) => [id, this.#left.get(id) ?? time]))
    await this.#remove(left.filter(({ workflowID: id }) => time - (this.#left.get(id) ?? time) > LEFT_MS))
    // A process of an earlier version has another name.
    const isOver = (process: number): boolean => Number.isNaN(process) || gone.includes(process)
    await this.#remove(taken.filter((ticket) => isOver(processOf(ticket))))
    const completedBefore = new Date(Date.now() - KEPT_MS).toISOString()
    await this.#remove(await this.#list(ENDED, { completedBefore }))
    return [...new Set(taken.map(processOf))].filter((process) => !isOver(process))
  }

  /** Works on what waits with one of the workers here; never rejects. */
  async run(id: string): Promise<void> {
    this.#atWork.add(id)
    const isOne = this.#queue.rateLimit !== undefined
    const workers = [...(current?.workers ?? [])].sort((one, other) => one.places.taken - other.places.taken)
    let hasWorked = false
    for (const { places, work } of workers) {
      if (hasWorked || !(await places.take(FULL_MS))) continue
      try {
        hasWorked = await work(isOne)
      } catch {
        // Who works on runs says what failed; the run is offered again.
      } finally {
        places.giveBack()
      }
    }
    this.#atWork.delete(id)
    if (isOne && !hasWorked) this.#vain.push(id)
  }

  /** @returns false when others took tickets at the same time: there may be more */
  async #take(): Promise<boolean> {
    return !(await soon(this.#dbos.poll(this.#queue)))
  }

  /**
   * DBOS counts what is at work as it was before it takes tickets: two that do so at once would each take as many as are
   * allowed, where one of them saw tickets that the other did not see yet.
   */
  #takeAlone(): Promise<boolean> {
    return transact(this.#pool, async (client) => {
      const lock = {
        text: `SELECT pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext($1)) AS is_mine`,
        values: [this.#queue.name],
      }
      const [row] = (await client.query(lock)).rows
      return row?.is_mine === true && (await this.#take())
    })
  }

  async #enqueue(count: number): Promise<void> {
    const { receiver } = this.#dbos
    const { name: queueName } = this.#queue
    const ids = Array.from({ length: count }, () => createId('turn', Date.now()))
    const prepared = ids.map((id) =>
      receiver.prepareEnqueuedWorkflow(this.#workflow, [id], { workflowID: id, queueName }),
    )
    await receiver.enqueueWorkflows(await Promise.all(prepared))
  }

  /** What began nothing is no start. */
  async #removeVain(): Promise<void> {
    if (this.#vain.length === 0) return
    const ended = await this.#list(ENDED, { workflowIDs: this.#vain })
    await this.#remove(ended)
    const removed = new Set(ended.map(({ workflowID }) => workflowID))
    this.#vain = this.#vain.filter((id) => !removed.has(id))
  }

  /** Tickets that nobody has any more. */
  async #remove(tickets: readonly WorkflowStatus[]): Promise<void> {
    if (tickets.length > 0) await soon(this.#dbos.transact.deleteWorkflows(tickets.map(({ workflowID }) => workflowID)))
  }

  #list(status: string | string[], more: Partial<WorkflowFilter> = {}): Promise<WorkflowStatus[]> {
    return soon(this.#dbos.transact.listWorkflows({ ...ALL, queueName: [this.#queue.name], status, ...more }))
  }
}

/** What DBOS answers, or an error when it takes too long: its caller may hold a lock. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer from DBOS within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

const queueOf = (space: string): string => `${QUEUE}-${hash('sha256', space).slice(0, 16)}`

/** Which process is at a ticket; not a number for one of an earlier version. */
const processOf = ({ executorId = '' }: WorkflowStatus): number =>
  executorId.startsWith(EXECUTOR) ? Number(executorId.slice(EXECUTOR.length)) : Number.NaN

/** The body of the workflow. */
const offer = async (id: string): Promise<void> => current?.engine.run(id)

const taken = ({ place }: Database, why: string): SvcError =>
  new SvcError(
    'store_unavailable',
    `this process cannot work on the runs of ${place.database} at ${place.host}: ${why}; start svc worker for them, and say claims: 'own' here`,
    { retryable: false },
  )
