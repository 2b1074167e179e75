/** Parts of svc, replaced through `@svc/core` alone: a store, a wire format, a memory, an inspector. */
export { createJsonlStore, jsonlStore } from './jsonl/jsonl-store.ts'
export { notes } from './notes.ts'
export { createShout, shout } from './shout.ts'
export { tally } from './tally.ts'
