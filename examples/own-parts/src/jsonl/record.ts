import type { AgentProfile, Command, Commit, KeyedAnswer, Lease, NewEvent, RunRow, Thread } from '@svc/core'

/** Collections that are kept whole, by name. */
export interface Tables {
  threads: Thread
  agents: AgentProfile
  answers: KeyedAnswer
}

export interface Idempotency {
  scope: string
  key: string
  bodyHash: string
  expiresAt: number
}

/** One change, as a line of the file holds it. Whether it takes effect is decided when it is read, in the file's order. */
export type Change =
  | { op: 'create'; run: RunRow; events: readonly NewEvent[]; idempotency?: Idempotency | undefined }
  | { op: 'commit'; lease: Lease; write: Commit; removed: readonly string[] }
  | { op: 'claim'; runId: string; owner: string; ttlMs: number; isNamed: boolean }
  | { op: 'renew'; leases: readonly Lease[]; ttlMs: number }
  | { op: 'release'; lease: Lease }
  | { op: 'command'; runId: string; command: Command }
  | { op: 'delete'; runId: string }
  | { op: 'payload'; runId: string; ref: string; base64: string }
  | { [T in keyof Tables]: { op: 'put'; table: T; id: string; value: Tables[T] } }[keyof Tables]
  | { op: 'replace'; table: keyof Tables; id: string; before?: unknown; value?: unknown }
  | { op: 'drop'; table: keyof Tables; id: string }
  | { op: 'record'; space: string; id: string; before?: unknown; value: unknown; isForced: boolean }
  | { op: 'forget'; space: string; ids: readonly string[] }

/** A change with who wrote it, and when by the writer's clock. */
export type Line = Change & { by: string; time: number }
