/** `@svc/core/support`: helpers without state that know nothing of svc, for every package. */
export * from './abortable.ts'
export * from './canonical-json.ts'
export { Semaphore } from './concurrency.ts'
export * from './own-files.ts'
export * from './per-name.ts'
export * from './settings/matches-glob.ts'
export * from './settings/variables.ts'
export { readTimeCursor, toTimeCursor } from './time-cursor.ts'
