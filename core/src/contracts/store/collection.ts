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
