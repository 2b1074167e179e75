/**
 * A copy of data that nobody can change: arrays and plain objects at every depth. What is neither stays what it is.
 *
 * @throws RangeError for a value that holds itself
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, frozenCopy(item)]))) as T
}
