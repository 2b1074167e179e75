const MINUTE_MS = 60_000
const HOUR = 60
const BUCKETS = 3 * 24 * HOUR

/** Windows that must both burn faster than the factor: the long one tells that it matters, the short one that it goes on. */
const RULES = [
  { name: 'fast', factor: 14.4, longMinutes: HOUR, shortMinutes: 5 },
  { name: 'medium', factor: 6, longMinutes: 6 * HOUR, shortMinutes: 30 },
  { name: 'slow', factor: 1, longMinutes: BUCKETS, shortMinutes: 6 * HOUR },
] as const
/** Fewer calls than this in the long window say nothing. */
const LEAST_CALLS = 20

export interface Burn {
  name: (typeof RULES)[number]['name']
  /** How many times faster than allowed the error budget goes, over the long window. */
  rate: number
  isBurning: boolean
}

/**
 * How fast a process uses up its error budget, over all runs: multi-window burn rates (Beyer et al., The Site
 * Reliability Workbook, 2018).
 *
 * Keeps three days in buckets of a minute; a call is counted in constant time.
 */
export class ServiceLevel {
  readonly #objective: number
  readonly #calls = new Uint32Array(BUCKETS)
  readonly #errors = new Uint32Array(BUCKETS)
  #now = -1

  /** @param objective share of calls that must succeed; default .99 */
  constructor(objective = 0.99) {
    this.#objective = objective
  }

  /** @param atMs milliseconds since the epoch; a call older than three days is left out */
  count(atMs: number, isError: boolean): void {
    const minute = Math.floor(atMs / MINUTE_MS)
    if (this.#now < 0) this.#now = minute
    if (minute > this.#now) this.#advance(minute)
    if (minute <= this.#now - BUCKETS) return
    const at = minute % BUCKETS
    this.#calls[at] = (this.#calls[at] ?? 0) + 1
    if (isError) this.#errors[at] = (this.#errors[at] ?? 0) + 1
  }

  /** Start of the minute of the last counted call, in milliseconds since the epoch. */
  get lastMinuteMs(): number {
    return Math.max(0, this.#now) * MINUTE_MS
  }

  /** The three rules as they stand at the last counted minute. */
  burns(): Burn[] {
    return RULES.map(({ name, factor, longMinutes, shortMinutes }) => {
      const long = this.#sum(longMinutes)
      const rate = this.#rate(long)
      const isBurning = long.calls >= LEAST_CALLS && rate > factor && this.#rate(this.#sum(shortMinutes)) > factor
      return { name, rate, isBurning }
    })
  }

  #advance(minute: number): void {
    const steps = Math.min(BUCKETS, minute - this.#now)
    for (let step = 1; step <= steps; step++) {
      const at = (this.#now + step) % BUCKETS
      this.#calls[at] = 0
      this.#errors[at] = 0
    }
    if (steps === BUCKETS) {
      this.#calls.fill(0)
      this.#errors.fill(0)
    }
    this.#now = minute
  }

  #sum(minutes: number): { calls: number; errors: number } {
    const sum = { calls: 0, errors: 0 }
    for (let back = 0; back < minutes && this.#now - back >= 0; back++) {
      const at = (this.#now - back) % BUCKETS
      sum.calls += this.#calls[at] ?? 0
      sum.errors += this.#errors[at] ?? 0
    }
    return sum
  }

  #rate({ calls, errors }: { calls: number; errors: number }): number {
    return calls === 0 ? 0 : errors / calls / (1 - this.#objective)
  }
}
