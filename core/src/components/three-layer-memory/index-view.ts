import type { TextColumns, TextGroup } from './text-columns.ts'

/** Which texts a search may see. Everything else is as if it were not there, in the counts as in the hits. */
export interface IndexFilter {
  /** Names the filter: equal keys must accept equal groups. */
  key: string
  accepts(group: TextGroup): boolean
  /** The moment at which a text must be true, in milliseconds since the epoch; default now. */
  at?: number
  /** The only session that it may accept texts of, where that is known. */
  session?: string | undefined
}

/** Texts next to each other as one filter sees them. */
export interface View {
  /** Position of each ordinal, -1 where the filter does not see the text. */
  readonly positions: Int32Array
  readonly ordinals: Int32Array
  /** Number of the session at each position. */
  readonly sessions: Int32Array
  /** 1 where the text before, of the same session, is another author's and asks something. */
  readonly replies: Uint8Array
  /** Stems of each text with those that it borrows. */
  readonly lengths: Float64Array
  readonly averageLength: number
  readonly sessionLengths: Float64Array
  readonly averageSessionLength: number
  /** Numbers of the authors. */
  readonly authors: ReadonlySet<number>
  /** From when on another text is true, or one no longer, in milliseconds since the epoch. */
  readonly stableUntil: number
}

/**
 * Lines up the texts that a filter accepts, session by session.
 *
 * @param sessions ordinals of the texts of each session, in order
 * @param neighbours how much texts borrow from those one, two, ... places away
 * @param now milliseconds since the epoch
 */
export function buildView(
  columns: TextColumns,
  sessions: ReadonlyMap<string | number, readonly number[]>,
  neighbours: readonly number[],
  now: number,
  filter: IndexFilter | undefined,
): View {
  const { lengths: sizes, writers, asking, groups, from, to } = columns
  const only = filter?.session === undefined ? undefined : [sessions.get(filter.session) ?? []]
  const most = only?.[0]?.length ?? sizes.length
  const positions = new Int32Array(sizes.length).fill(-1)
  const ordinals = new Int32Array(most)
  const sessionOf = new Int32Array(most)
  const own = new Float64Array(most)
  const replies = new Uint8Array(most)
  const sessionLengths: number[] = []
  const authors = new Set<number>()
  const accepted = columns.known.map((group) => filter === undefined || filter.accepts(group))
  const at = filter?.at ?? now
  let stableUntil = Number.POSITIVE_INFINITY
  let count = 0
  for (const members of only ?? sessions.values()) {
    let length = -1
    let before = -1
    for (const ordinal of members) {
      const size = sizes[ordinal] ?? -1
      if (size < 0 || accepted[groups[ordinal] ?? 0] !== true) continue
      const since = from[ordinal] ?? 0
      const until = to[ordinal] ?? 0
      if (since > at) stableUntil = Math.min(stableUntil, since)
      else if (until > at) stableUntil = Math.min(stableUntil, until)
      if (since > at || until <= at) continue
      positions[ordinal] = count
      ordinals[count] = ordinal
      sessionOf[count] = sessionLengths.length
      own[count] = size
      replies[count] = asking[before] === true && writers[before] !== writers[ordinal] ? 1 : 0
      before = ordinal
      length = Math.max(0, length) + size
      authors.add(writers[ordinal] ?? 0)
      count++
    }
    if (length >= 0) sessionLengths.push(length)
  }
  const seen = sessionOf.subarray(0, count)
  const lengths = borrow(own.subarray(0, count), seen, neighbours)
  return {
    positions,
    ordinals: ordinals.subarray(0, count),
    sessions: seen,
    replies,
    lengths,
    averageLength: average(lengths),
    sessionLengths: Float64Array.from(sessionLengths),
    averageSessionLength: average(sessionLengths),
    authors,
    stableUntil: filter?.at === undefined ? stableUntil : Number.POSITIVE_INFINITY,
  }
}

function borrow(own: Float64Array, sessions: Int32Array, neighbours: readonly number[]): Float64Array {
  const lengths = own.slice()
  neighbours.forEach((share, index) => {
    for (let before = 0, after = index + 1; after < own.length; before++, after++) {
      if (sessions[before] !== sessions[after]) continue
      lengths[before] = (lengths[before] ?? 0) + share * (own[after] ?? 0)
      lengths[after] = (lengths[after] ?? 0) + share * (own[before] ?? 0)
    }
  })
  return lengths
}

function average(values: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0
  return values.length === 0 ? 1 : sum / values.length || 1
}
