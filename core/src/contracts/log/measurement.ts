import type { HookName } from '../plugin/hook-name.ts'
import type { Verdict } from '../run/result.ts'
import type { Mode, RunStatus } from '../words.ts'

/** What a store measures of its own work. */
export type StoreMeasurement =
  /** How long a write took until it was durable, with everything that went into the same transaction. */
  | { kind: 'write'; durationMs: number }
  /** Bytes of JSON that were added to the logs of runs. */
  | { kind: 'log'; bytes: number }

/** What a process works on. */
export interface Activity {
  /** Runs that it holds, by status; queued are those that it has taken in and nobody works on yet. */
  runs: Record<'queued' | 'running' | 'waiting' | 'cancelling', number>
  /** Questions to people that those runs have asked and nobody has answered. */
  pendingApprovals: number
}

/** What the runtime measures beside its events. */
export type Measurement =
  | StoreMeasurement
  /** How long a plugin took to answer a hook, also where it failed. */
  | { kind: 'tap'; hook: HookName; plugin: string; durationMs: number }
  /** A run that has ended here, with the time since it was asked for; the verdict as it is shown, `code` of one that failed. */
  | { kind: 'run'; mode: Mode; status: RunStatus; verdict: Verdict | undefined; durationMs: number; code?: string }
