export function numbersOf<Name extends string>(defaults: Record<Name, number>): Record<Name, number>
export function withQuartiles(numbers: readonly number[]): string
