/** The number in the middle of some, sorted. */
export function median(numbers: readonly number[]): number
export function numbersOf<Name extends string>(defaults: Record<Name, number>): Record<Name, number>
export function withQuartiles(numbers: readonly number[]): string
/** Microseconds of processor time, user and system, that some work takes in this process. */
export function cpuOf(work: () => unknown): Promise<number>
