/** Items of two sequences, side by side: alike, or only on one side. */
export type Pair<T> = { left: T; right: T } | { left: T; right?: never } | { left?: never; right: T }

/** Differences beyond which two sequences are no longer compared item by item. */
const MOST_EDITS = 1_000

/**
 * The shortest way from one sequence to another, in order: what both have, what only the left has, what only the right has.
 *
 * Where they differ in more than `most` items, everything between their common beginning and their common end differs.
 *
 * @see Myers, An O(ND) Difference Algorithm and Its Variations, 1986
 */
export function diffSequences<T>(
  left: readonly T[],
  right: readonly T[],
  isAlike: (left: T, right: T) => boolean = Object.is,
  most = MOST_EDITS,
): Pair<T>[] {
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && isAlike(left[start] as T, right[start] as T)) start++
  let end = 0
  while (end < shorter - start && isAlike(left.at(-1 - end) as T, right.at(-1 - end) as T)) end++
  const pairs: Pair<T>[] = []
  const both = (l: number, r: number): void => void pairs.push({ left: left[l] as T, right: right[r] as T })
  for (let index = 0; index < start; index++) both(index, index)
  const middle = edit(left.slice(start, left.length - end), right.slice(start, right.length - end), isAlike, most)
  for (const pair of middle) pairs.push(pair)
  for (let index = end; index > 0; index--) both(left.length - index, right.length - index)
  return pairs
}

type Alike<T> = (left: T, right: T) => boolean

function edit<T>(left: readonly T[], right: readonly T[], isAlike: Alike<T>, most: number): Pair<T>[] {
  const trace = findEdits(left, right, isAlike, most)
  if (trace === undefined) return [...left.map((item) => ({ left: item })), ...right.map((item) => ({ right: item }))]
  const pairs: Pair<T>[] = []
  let [l, r] = [left.length, right.length]
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const at = (diagonal: number): number => trace[edits]?.[diagonal + edits + 1] ?? 0
    const before = comesFrom(l - r, edits, at)
    const [fromL, fromR] = [at(before), at(before) - before]
    while (l > fromL && r > fromR) pairs.push({ left: left[--l] as T, right: right[--r] as T })
    if (edits === 0) break
    pairs.push(l === fromL ? { right: right[--r] as T } : { left: left[--l] as T })
  }
  return pairs.reverse()
}

/** For each number of edits how far each diagonal was reached before it; undefined where `most` do not suffice. */
function findEdits<T>(
  left: readonly T[],
  right: readonly T[],
  isAlike: Alike<T>,
  most: number,
): Int32Array[] | undefined {
  const bound = Math.min(most, left.length + right.length)
  const middle = bound + 1
  const reached = new Int32Array(2 * bound + 3)
  const trace: Int32Array[] = []
  const at = (diagonal: number): number => reached[middle + diagonal] ?? 0
  for (let edits = 0; edits <= bound; edits++) {
    trace.push(reached.slice(middle - edits - 1, middle + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const before = comesFrom(diagonal, edits, at)
      let l = at(before) + (before < diagonal ? 1 : 0)
      while (l < left.length && l - diagonal < right.length && isAlike(left[l] as T, right[l - diagonal] as T)) l++
      reached[middle + diagonal] = l
      if (l >= left.length && l - diagonal >= right.length) return trace
    }
  }
  return undefined
}

/** The diagonal from which one edit leads furthest: from above something of the right is put in, else one of the left goes. */
function comesFrom(diagonal: number, edits: number, at: (diagonal: number) => number): number {
  const isFromAbove = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1))
  return isFromAbove ? diagonal + 1 : diagonal - 1
}
