import type { ListQuery, Page } from '../page.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** Records under ids. */
export interface Collection<T> {
  get(id: string): MaybePromise<T | undefined>
  put(id: string, value: T): MaybePromise<void>
  delete(id: string): MaybePromise<boolean>
  list(query?: ListQuery): MaybePromise<Page<T>>
}

/** A collection that several processes may change at once. */
export interface SharedCollection<T> extends Collection<T> {
  /**
   * Puts a value in place of the one that stands there, if it is that which is expected.
   *
   * @param before undefined: nothing is to stand there
   * @param value undefined: takes it away
   * @returns false where something else stands there; nothing is changed then
   */
  replace(id: string, before: T | undefined, value: T | undefined): MaybePromise<boolean>
}

/** A record with its place: a later one of the same kind, in whichever space, has a higher `seq`. */
export interface PlacedRecord<T> {
  seq: number
  id: string
  value: T
}

/** The records of one kind in one space. They are read as a whole, and several processes may change them at once. */
export interface RecordSpace<T> extends Pick<SharedCollection<T>, 'get' | 'replace'> {
  /** Puts a value, in place of the one that stands there. @returns its `seq`, which stays */
  put(id: string, value: T): MaybePromise<number>
  /** All of them, oldest first. Damaged ones are left out and counted. */
  all(): MaybePromise<{ data: PlacedRecord<T>[]; damaged: number }>
  /** Removes several, all or none, for good: their text is in no file of the store afterwards. @returns how many there were */
  remove(ids: readonly string[]): MaybePromise<number>
  /** How many calls have changed something here, from any process: one for each `put`, `replace` and `remove` that did. */
  version(): MaybePromise<number>
}
