import type { Limits, Runtime } from '@svc/core'
import type { StreamHub } from './events/stream-hub.ts'
import type { Metrics } from './observe/metrics.ts'
import type { ProviderWatch } from './observe/provider-watch.ts'
import type { StoreWatch } from './observe/store-watch.ts'
import type { HeldRequests } from './runs/held-requests.ts'
import type { Waiters } from './runs/waiters.ts'

/** Limits of the server itself, with nothing left out. */
export type ServerLimits = Required<
  Omit<Limits, 'runningRuns' | 'queuedRuns' | 'runEvents' | 'runBytes' | 'toolResultBytes'>
>

/** What every handler works with. */
export interface ServerContext {
  readonly runtime: Runtime
  readonly limits: ServerLimits
  readonly streams: StreamHub
  readonly waiters: Waiters
  readonly heldRequests: HeldRequests
  readonly metrics: Metrics
  readonly store: StoreWatch
  readonly providers: ProviderWatch
  /** Absolute path of the folder of experiments, without links; undefined where there is none. */
  readonly experiments: string | undefined
  /** Whether new work is refused, because the server is about to end. */
  readonly isDraining: boolean
  /** Whether who asks needs a key. */
  readonly hasKeys: boolean
  /** The key of this machine for a code of the console, once. */
  exchange(code: string): string | undefined
}
