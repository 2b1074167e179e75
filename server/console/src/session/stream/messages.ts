import type { RunEvent } from '@svc/sdk/remote'

/** What a window says to who holds the stream. `id` is its own number of what it reads. */
export type FromWindow =
  | {
      type: 'hello'
      /** The server's key; empty for none. */
      key: string
      /** A lock that the window holds as long as it lives. */
      lock: string | undefined
    }
  | { type: 'run'; id: number; runId: string; after: number }
  | { type: 'feed'; id: number; all: boolean }
  | { type: 'stop'; id: number }
  | { type: 'bye' }

/** What a window hears. */
export type ToWindow =
  | { type: 'events'; id: number; events: RunEvent[] }
  | { type: 'open'; id: number }
  | { type: 'end'; id: number; error?: { code: string; message: string; retryable: boolean } }
  | { type: 'away'; isAway: boolean }
  | { type: 'busy'; forMs: number }
