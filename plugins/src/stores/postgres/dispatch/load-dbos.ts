import { SvcError } from '@svc/core'
import type { PgPool } from '../load-pg.ts'

/** What DBOS knows of a workflow. */
export interface WorkflowStatus {
  workflowID: string
  /** When it was taken from its queue: milliseconds since the epoch, by the database's clock. */
  dequeuedAt?: number
}

interface WorkflowFilter {
  workflowIDs?: string[]
  queueName?: string[]
  status: string | string[]
  /** ISO time. */
  completedBefore?: string
  limit: number
  loadInput: false
  loadOutput: false
}

/** The part of DBOS Transact that is used, so that nothing of it is needed to read our types. */
export interface Dbos {
  setConfig(config: {
    name: string
    systemDatabasePool: PgPool
    systemDatabaseUrl: string
    systemDatabaseSchemaName: string
    applicationVersion: string
    executorID: string
    listenQueues?: string[]
    useListenNotify: boolean
    logger: Record<'info' | 'debug' | 'warn' | 'error', () => void>
  }): void
  isInitialized(): boolean
  registerWorkflow(body: (runId: string, ticket: number) => Promise<void>, settings: { name: string }): unknown
  launch(): Promise<void>
  registerQueue(
    name: string,
    settings: {
      workerConcurrency: number
      globalConcurrency?: number
      rateLimit?: { limitPerPeriod: number; periodSec: number }
      minPollingIntervalMs: number
      onConflict: 'always_update'
    },
  ): Promise<unknown>
  enqueueWorkflowWithOptions(
    settings: {
      queueName: string
      workflowName: string
      workflowID: string
      appVersion: string
      priority?: number
    },
    runId: string,
    ticket: number,
  ): Promise<unknown>
  listWorkflows(filter: WorkflowFilter): Promise<WorkflowStatus[]>
  deleteWorkflows(ids: string[]): Promise<void>
  shutdown(settings: { deregister: true; workflowCompletionTimeoutMS: number }): Promise<void>
}

/**
 * DBOS Transact, loaded by the first process that works on the runs of a PostgreSQL.
 *
 * @throws SvcError `store_unavailable` naming what to install
 */
export async function loadDbos(load?: () => Promise<unknown>): Promise<Dbos> {
  try {
    // Awaited right inside the `try`: only there do bundlers leave out a package that is not installed.
    const loaded = load === undefined ? await import('@dbos-inc/dbos-sdk' as string) : await load()
    return (loaded as { DBOS: Dbos }).DBOS
  } catch (thrown) {
    throw new SvcError(
      'store_unavailable',
      'working on runs in PostgreSQL needs the package @dbos-inc/dbos-sdk: run npm install @dbos-inc/dbos-sdk',
      { cause: thrown, retryable: false },
    )
  }
}
