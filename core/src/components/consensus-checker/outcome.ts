/** How often something was right. */
export interface Outcome {
  /** Which tasks it was seen on, as `Task.domain`; default any. */
  readonly domain?: string
  readonly right: number
  readonly total: number
}

/** A fraction that is never certain. */
export const ratio = (right: number, total: number): number => Math.min(0.999, Math.max(0.001, right / total))
