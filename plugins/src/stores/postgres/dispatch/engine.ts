import { hash } from 'node:crypto'
import { createId, SvcError } from '@svc/core'
import type { Database } from '../database.ts'
import { type Dbos, loadDbos, type WorkflowStatus } from './load-dbos.ts'
import type { Places } from './places.ts'

/** Of runs of no space; each space has one of its own, so that a ticket is taken by who can work on its run. */
const QUEUE = 'svc-runs'
const WORKFLOW = 'svc-run'
/** Of how runs are handed out, not of svc: a worker of any version may be offered any run. */
const VERSION = '1'
const SCHEMA = 'svc_dbos'
/** How often DBOS looks into the queue: a queued run starts after half of it at best. */
const POLL_MS = 50
const CONNECTIONS = 4
const MINUTE_S = 60
/** How long what has ended is kept: the limit on starts counts it. */
const KEPT_MS = 2 * MINUTE_S * 1_000
/** DBOS asks a server that does not answer again for ever. */
const PATIENCE_MS = 5_000
const ALL = { limit: 1_000, loadInput: false, loadOutput: false } as const
/** How long a ticket waits for a place in a process that is full of runs without tickets. */
const FULL_MS = 1_000
/** A number that nobody else uses. */
const LAUNCH_LOCK = 7_364_004
/** Ranks begin below zero, and what DBOS takes for a priority does not. */
const MOST_PRIORITY = 100

/** Limits over all processes that share a database. */
export interface SharedLimits {
  /** Runs at work at once. */
  runningRuns?: number
  startsPerMinute?: number
}

export interface EngineOptions {
  limits: SharedLimits
  /** Only runs of this space, and those of none. Undefined: all. */
  space: string | undefined
}

/** A worker in this process, to whom runs are handed. */
export interface Worker {
  readonly places: Places
  /** Works on a run that a ticket offers; false where it cannot. */
  work(runId: string): Promise<boolean>
  /**
   * Nobody here can work on it now.
   *
   * @param isFull somebody else may well be able to
   */
  giveBack(runId: string, ticket: number, isFull: boolean): Promise<void>
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

/** A ticket in the queue offers one run to one worker, as a workflow of DBOS. */
export class Engine {
  readonly #dbos: Dbos
  readonly #pool: { end(): Promise<void> }
  /** Those that were made here. */
  readonly #queues: string[]

  private constructor(dbos: Dbos, pool: { end(): Promise<void> }, queues: string[]) {
    this.#dbos = dbos
    this.#pool = pool
    this.#queues = queues
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
        if (dbos.isInitialized()) throw taken(db, 'another part of this program runs DBOS')
        const engine = await db.patiently(() => Engine.#start(dbos, db, settings, worker))
        current = { url: db.url, space: settings.space, engine, workers: new Set() }
      } else if (current.url !== db.url) throw taken(db, 'this process works on the runs of another database')
      else if (current.space !== settings.space) throw taken(db, 'this process works on the runs of another project')
      current.workers.add(worker)
      return current.engine
    })
  }

  static async #start(dbos: Dbos, db: Database, { limits, space }: EngineOptions, { places }: Worker): Promise<Engine> {
    const queues = space === undefined ? [QUEUE] : [QUEUE, queueOf(space)]
    const pool = db.newPool(CONNECTIONS)
    try {
      dbos.setConfig({
        name: 'svc',
        systemDatabasePool: pool,
        systemDatabaseUrl: db.url,
        systemDatabaseSchemaName: SCHEMA,
        applicationVersion: VERSION,
        // A name of its own: a process that starts takes up nothing of another that may be alive.
        executorID: createId('proc', Date.now()),
        // Without a space it works on the runs of all.
        ...(space !== undefined && { listenQueues: queues }),
        useListenNotify: false,
        logger: SILENT,
      })
      dbos.registerWorkflow(offer, { name: WORKFLOW })
      await alone(db, () => dbos.launch())
      const { runningRuns = Number.POSITIVE_INFINITY, startsPerMinute } = limits
      for (const queue of queues) {
        await dbos.registerQueue(queue, {
          workerConcurrency: Math.min(places.limit, runningRuns),
          ...(Number.isFinite(runningRuns) && { globalConcurrency: runningRuns }),
          ...(startsPerMinute !== undefined && {
            rateLimit: { limitPerPeriod: startsPerMinute, periodSec: MINUTE_S },
          }),
          minPollingIntervalMs: POLL_MS,
          onConflict: 'always_update',
        })
      }
    } catch (thrown) {
      await dbos.shutdown({ deregister: true, workflowCompletionTimeoutMS: 0 }).catch(() => {})
      await pool.end()
      throw thrown
    }
    return new Engine(dbos, pool, queues)
  }

  /** Stops handing runs to a worker, and DBOS with the last of them. */
  leave(worker: Worker, drainMs: number): Promise<void> {
    return inTurn(async () => {
      if (current?.engine !== this || !current.workers.delete(worker) || current.workers.size > 0) return
      current = undefined
      await this.#dbos.shutdown({ deregister: true, workflowCompletionTimeoutMS: drainMs })
      await this.#pool.end()
    })
  }

  /**
   * Puts a ticket into the queue; one that is there already stays the same.
   *
   * @param rank lowest first
   */
  async enqueue(
    { runId, ticket }: Pick<Ticket, 'runId' | 'ticket'>,
    space: string | undefined,
    rank: number,
  ): Promise<void> {
    await soon(
      this.#dbos.enqueueWorkflowWithOptions(
        {
          queueName: space === undefined ? QUEUE : queueOf(space),
          workflowName: WORKFLOW,
          workflowID: idOf(runId, ticket),
          appVersion: VERSION,
          priority: rank + MOST_PRIORITY,
        },
        runId,
        ticket,
      ),
    )
  }

  /** Tickets that some process has taken from the queue and is not through with; many of a dead one's are. */
  async taken(): Promise<Ticket[]> {
    return (await this.#list('PENDING')).map(toTicket)
  }

  /** Those of some tickets that are neither in the queue nor taken. */
  async missing<T extends Pick<Ticket, 'runId' | 'ticket'>>(tickets: readonly T[]): Promise<T[]> {
    if (tickets.length === 0) return []
    const ids = tickets.map(({ runId, ticket }) => idOf(runId, ticket))
    const there = await soon(this.#dbos.listWorkflows({ ...ALL, workflowIDs: ids, status: ['ENQUEUED', 'PENDING'] }))
    const known = new Set(there.map(({ workflowID }) => workflowID))
    return tickets.filter(({ runId, ticket }) => !known.has(idOf(runId, ticket)))
  }

  async remove(tickets: readonly { runId: string; ticket: number }[]): Promise<void> {
    if (tickets.length === 0) return
    await soon(this.#dbos.deleteWorkflows(tickets.map(({ runId, ticket }) => idOf(runId, ticket))))
  }

  /** Removes tickets that were used long ago. */
  async removeUsed(): Promise<void> {
    const used = await this.#list(['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'], KEPT_MS)
    await this.remove(used.map(toTicket))
  }

  #list(status: string | string[], ageMs?: number): Promise<WorkflowStatus[]> {
    return soon(
      this.#dbos.listWorkflows({
        ...ALL,
        queueName: this.#queues,
        status,
        ...(ageMs !== undefined && { completedBefore: new Date(Date.now() - ageMs).toISOString() }),
      }),
    )
  }
}

/** What DBOS answers, or an error when it takes too long: who waits for it may hold a lock. */
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

/**
 * Keeps two processes from making the tables of DBOS at once: its statements block each other. Nobody waits inside a
 * statement, since an index that is being made waits for all of those.
 */
async function alone(db: Database, work: () => Promise<void>): Promise<void> {
  const client = db.newClient()
  client.on('error', () => {})
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query(`SELECT pg_try_advisory_lock(${LAUNCH_LOCK}) AS is_mine`)
      if (rows[0]?.is_mine === true) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await work()
  } finally {
    await client.end().catch(() => {})
  }
}

export interface Ticket {
  runId: string
  ticket: number
  takenAt: number
}

const queueOf = (space: string): string => `${QUEUE}-${hash('sha256', space).slice(0, 16)}`

const idOf = (runId: string, ticket: number): string => `${runId}/${ticket}`

function toTicket({ workflowID, dequeuedAt = 0 }: WorkflowStatus): Ticket {
  const at = workflowID.lastIndexOf('/')
  return { runId: workflowID.slice(0, at), ticket: Number(workflowID.slice(at + 1)), takenAt: dequeuedAt }
}

/** The body of the workflow. Never rejects: what became of a run stands in its own rows. */
async function offer(runId: string, ticket: number): Promise<void> {
  const workers = [...(current?.workers ?? [])].sort((one, other) => one.places.taken - other.places.taken)
  let isFull = false
  for (const { places, work } of workers) {
    if (!(await places.take(FULL_MS))) {
      isFull = true
      continue
    }
    try {
      if (await work(runId)) return
    } catch {
      // Who works on runs says what failed; the run is offered again.
    } finally {
      places.giveBack()
    }
  }
  try {
    const [worker] = workers
    if (worker === undefined) throw new Error('nobody is left here')
    await worker.giveBack(runId, ticket, isFull)
  } catch {
    // The ticket stays taken, until a sweep finds that nobody is at it.
    await new Promise(() => {})
  }
}

const taken = ({ place }: Database, why: string): SvcError =>
  new SvcError(
    'store_unavailable',
    `this process cannot work on the runs of ${place.database} at ${place.host}: ${why}; start svc worker for them, and say claims: 'own' here`,
    { retryable: false },
  )
