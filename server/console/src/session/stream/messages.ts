import type { RunEvent } from '@svc/sdk/remote'

/** What a window says to who holds the stream. `id` is its own number of what it reads. */
export type FromWindow =
  /** The first of all; `key` is the server's, and empty for none. */
  | { type: 'hello'; key: string }
  /** The name of a lock that the window holds as long as it lives. */
  | { type: 'lock'; name: string }
  | { type: 'run'; id: number; runId: string; after: number }
  | { type: 'feed'; id: number; all: boolean }
  | { type: 'stop'; id: number }
  | { type: 'bye' }

/** What a window hears. */
export type ToWindow =
  /** The name of a lock that the holder of the stream has as long as it lives. */
  | { type: 'lock'; name: string }
  | { type: 'events'; id: number; events: RunEvent[] }
  | { type: 'open'; id: number }
  | { type: 'end'; id: number; error?: { code: string; message: string; retryable: boolean } }
  | { type: 'away'; isAway: boolean }
  | { type: 'busy'; forMs: number }
