import { SvcError } from '@svc/core'

/** A row as the driver answers it. */
export type Row = Record<string, unknown>

export interface PgQuery {
  text: string
  /** Prepared once a connection under this name. */
  name?: string
  values?: readonly unknown[]
  /** Milliseconds after which the driver gives up. */
  query_timeout?: number
}

/** The part of the driver that is used, so that nothing of it is needed to read our types. */
export interface PgClient {
  connect(): Promise<unknown>
  query(query: PgQuery | string): Promise<{ rows: Row[]; rowCount: number | null }>
  on(event: 'notification', listener: (message: { channel: string; payload?: string }) => void): unknown
  on(event: 'error' | 'end', listener: (thrown?: unknown) => void): unknown
  end(): Promise<void>
  ref(): void
  unref(): void
}

export interface PgPool {
  query: PgClient['query']
  connect(): Promise<PgClient & { release(failure?: boolean): void }>
  on(event: 'error', listener: (thrown: unknown) => void): unknown
  on(event: 'connect', listener: (client: PgClient) => void): unknown
  end(): Promise<void>
}

export interface PgDriver {
  Pool: new (settings: object) => PgPool
  Client: new (settings: object) => PgClient
  types: { getTypeParser(type: number, format?: string): (text: string) => unknown }
}

/**
 * The driver of PostgreSQL, loaded by the first store that is opened: most who install svc have no such database.
 *
 * @throws SvcError `store_unavailable` naming what to install
 */
export async function loadPg(load?: () => Promise<unknown>): Promise<PgDriver> {
  try {
    // Awaited right inside the `try`: only there do bundlers leave out a package that is not installed.
    const loaded = load === undefined ? await import('pg' as string) : await load()
    return (loaded as { default: PgDriver }).default
  } catch (thrown) {
    throw new SvcError('store_unavailable', 'a store in PostgreSQL needs the package pg: run npm install pg', {
      cause: thrown,
      retryable: false,
    })
  }
}
