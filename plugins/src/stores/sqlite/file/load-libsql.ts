import { SvcError } from '@svc/core'

/** What may be bound to a `?`: the driver cuts texts at a NUL and aborts on any other object. */
export type SqlValue = string | number | null | Buffer

export interface NativeStatement {
  all(values: readonly SqlValue[]): unknown[]
  get(values: readonly SqlValue[]): unknown
  run(values: readonly SqlValue[]): { changes: number; lastInsertRowid: number }
}

export interface NativeDatabase {
  prepare(sql: string): NativeStatement
  exec(sql: string): void
  close(): void
}

export type NativeDriver = new (file: string) => NativeDatabase

// Asked for in a way that no bundler follows, to a file of machine code. In a bundle of CommonJS a module has no URL.
const require = process.getBuiltinModule('node:module').createRequire(import.meta.url ?? __filename)

/**
 * SQLite, loaded by the first store that is opened: it is a native package and takes some 30 ms.
 *
 * @throws SvcError `store_unavailable` naming what to install
 */
export function loadLibsql(load: () => unknown = () => require('libsql')): NativeDriver {
  try {
    return load() as NativeDriver
  } catch (thrown) {
    const reason = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown)
    throw new SvcError(
      'store_unavailable',
      `the embedded store needs libsql with its native package for ${process.platform}-${process.arch}, which cannot be loaded (${reason}): run npm install libsql, without --omit=optional`,
      { cause: thrown, retryable: false },
    )
  }
}
