/** A value, or a promise of it: a store in memory answers at once, so that an embedded run waits for nothing. */
export type MaybePromise<T> = T | Promise<T>
