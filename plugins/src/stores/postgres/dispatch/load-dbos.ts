import { SvcError } from '@svc/core'
import type { PgClient, PgPool } from '../load-pg.ts'

/** What DBOS knows of a workflow. */
export interface WorkflowStatus {
  workflowID: string
  /** The process that has taken it from its queue. */
  executorId?: string
}

export interface WorkflowFilter {
  workflowIDs?: string[]
  queueName?: string[]
  status: string | string[]
  /** ISO time. */
  completedBefore?: string
  limit: number
  loadInput: false
  loadOutput: false
}

/** A queue as it was last read. */
export interface Queue {
  readonly name: string
  readonly rateLimit?: object
  /** Workflows at work over all processes. */
  readonly concurrency?: number
  /** Workflows that this process works on at once. */
  workerConcurrency?: number
}

export type Workflow = (id: string) => Promise<void>

/** The parts of DBOS Transact that are used, so that nothing of it is needed to read our types. */
export interface Transact {
  setConfig(config: {
    name: string
    systemDatabasePool: PgPool
    systemDatabaseUrl: string
    systemDatabaseSchemaName: string
    applicationVersion: string
    executorID: string
    listenQueues: string[]
    runMigrations: boolean
    useListenNotify: boolean
    schedulerPollingIntervalMs: number
    logger: Record<'info' | 'debug' | 'warn' | 'error', () => void>
  }): void
  isInitialized(): boolean
  registerWorkflow(body: Workflow, settings: { name: string }): Workflow
  launch(): Promise<void>
  registerQueue(
    name: string,
    settings: {
      workerConcurrency: number
      globalConcurrency?: number
      rateLimit?: { limitPerPeriod: number; periodSec: number }
      onConflict: 'always_update'
    },
  ): Promise<Queue>
  retrieveQueue(name: string): Promise<Queue | null>
  listWorkflows(filter: WorkflowFilter): Promise<WorkflowStatus[]>
  deleteWorkflows(ids: string[]): Promise<void>
  shutdown(settings: { deregister: true; workflowCompletionTimeoutMS: number }): Promise<void>
}

/** What it offers to those that bring it work of their own. */
interface Receiver {
  prepareEnqueuedWorkflow(
    workflow: Workflow,
    args: [string],
    options: { workflowID: string; queueName: string },
  ): Promise<object>
  enqueueWorkflows(workflows: object[]): Promise<unknown>
}

/** How often DBOS looks for schedules and for workflows with a time limit, none of which there are. */
export const NEVER_MS = 86_400_000
/** How long DBOS waits at most before it asks a database again that could not be reached. */
const MOST_BACKOFF_S = 2

interface Polling {
  wfQueueRunner: { stop(): void; pollQueue(executor: unknown, queue: Queue): Promise<boolean> }
}

export interface Dbos {
  transact: Transact
  receiver: Receiver
  /** Whether a schema has the tables of this version, or of a newer one. */
  hasTables(client: PgClient, schema: string): Promise<boolean>
  /** Makes them in a schema that is there. */
  makeTables(client: PgClient, schema: string): Promise<void>
  /** Once it is launched, it asks no queue by itself any more. */
  stopPolling(): void
  /** Takes from a queue what it allows; whether others did at the same time, so that it may have taken nothing. */
  poll(queue: Queue): Promise<boolean>
}

/**
 * DBOS Transact, loaded by the first process that works on the runs of a PostgreSQL.
 *
 * @throws SvcError `store_unavailable` naming what to install
 */
export async function loadDbos(load?: () => Promise<{ DBOS: Transact }>): Promise<Dbos> {
  try {
    // Awaited right inside the `try`: only there do bundlers leave out a package that is not installed.
    const { DBOS: transact } = load === undefined ? await import('@dbos-inc/dbos-sdk' as string) : await load()
    const receiver = await import('@dbos-inc/dbos-sdk/eventreceiver' as string)
    const { wfQueueRunner }: Polling = await import('@dbos-inc/dbos-sdk/internal/wfqueue' as string)
    const { workflowTimeoutConfig } = await import('@dbos-inc/dbos-sdk/internal/workflow_management' as string)
    workflowTimeoutConfig.pollingIntervalMs = NEVER_MS
    const { dbRetryConfig } = await import('@dbos-inc/dbos-sdk/internal/utils' as string)
    // A ticket whose end cannot be written counts as one at work until it is: for up to a minute after a database came back.
    dbRetryConfig.maxBackoffSec = MOST_BACKOFF_S
    const { allMigrations } = await import('@dbos-inc/dbos-sdk/internal/sysdb_migrations/internal/migrations' as string)
    const { getCurrentSysDBVersion, runSysMigrationsPg } = await import(
      '@dbos-inc/dbos-sdk/internal/sysdb_migrations/migration_runner' as string
    )
    // The first makes the schema, which asks for the right to make one also where it is there.
    const migrationsOf = (schema: string): unknown[] =>
      allMigrations(schema, { useListenNotify: false }).with(0, { name: 'schema', pg: [] })
    const { DBOSExecutor } = await import('@dbos-inc/dbos-sdk/internal/dbos-executor' as string)
    return {
      transact,
      receiver,
      hasTables: async (client, schema) =>
        (await getCurrentSysDBVersion(client, schema)) >= migrationsOf(schema).length,
      makeTables: (client, schema) => runSysMigrationsPg(client, migrationsOf(schema), schema, { onWarn: () => {} }),
      stopPolling: () => wfQueueRunner.stop(),
      poll: (queue) => wfQueueRunner.pollQueue(DBOSExecutor.globalInstance, queue),
    }
  } catch (thrown) {
    throw new SvcError(
      'store_unavailable',
      'working on runs in PostgreSQL needs the package @dbos-inc/dbos-sdk: run npm install @dbos-inc/dbos-sdk',
      { cause: thrown, retryable: false },
    )
  }
}
