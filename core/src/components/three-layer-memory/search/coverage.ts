import type { Posting } from './posting.ts'
import type { TextEntry, View } from './view.ts'

/** Among fewer texts than this, how rare a word is here says little: coverage is taken as if there were this many. */
const FEW_TEXTS = 50

/** Among fewer texts every stem is scored. */
const MANY_TEXTS = 200
/** A stem in more than a third of the texts carries little information: it is scored only if it is among the rarest three. */
const COMMON = 0.35
const RAREST = 3
/** Of a long query the rarest stems are scored. */
const MOST_STEMS = 64

/** A stem of a query, as a view holds it. */
export interface AskedStem {
  /** How much it counts. */
  readonly weight: number
  readonly posting: Posting | undefined
  /** Whether it counts for the ranking. */
  readonly isScored: boolean
  /** Its information by kind of text: what many runs were about makes no word of what a person said say less. */
  readonly information: readonly number[]
}

/** How much of a query a text itself holds. */
export interface Coverage {
  stems: number
  /** Information of these stems in nats, and its share of all. */
  weight: number
  coverage: number
}

/** The inverse document frequency of BM25, never below 0: the information of a word in nats. */
export const idfOf = (total: number, holding: number): number => Math.log(1 + (total - holding + 0.5) / (holding + 0.5))

/** The stems of a query with what they say in a view, the rarest first. The view's texts must have their places. */
export function toAskedStems(
  view: View,
  postings: ReadonlyMap<string, Posting>,
  weights: ReadonlyMap<string, number>,
): AskedStem[] {
  const total = view.texts.length
  const stems = [...weights].map(([stem, weight]) => {
    const posting = postings.get(stem)
    const counts = view.countHolding(stem, posting?.texts ?? [])
    return { weight, posting, counts, holding: counts.itself.reduce((sum, count) => sum + count, 0) }
  })
  stems.sort((a, b) => a.holding - b.holding)
  return stems.map(({ weight, posting, counts, holding }, rank) => {
    const isCommon = total >= MANY_TEXTS && holding > COMMON * total
    const isScored = rank < MOST_STEMS && (rank < RAREST || !isCommon)
    const among = isScored ? counts.near : counts.itself
    const information = view.kindSizes.map((size, kind) => weight * idfOf(Math.max(size, FEW_TEXTS), among[kind] ?? 0))
    return { weight, posting, isScored, information }
  })
}

/** How much of a query a text of the view holds by itself. */
export function coverageOf(text: TextEntry, view: View, asked: readonly AskedStem[]): Coverage {
  const kind = view.kinds[text.place] ?? 0
  let stems = 0
  let weight = 0
  let all = 0
  for (const { posting, information } of asked) {
    const held = information[kind] ?? 0
    all += held
    if (posting?.has(text) !== true) continue
    stems++
    weight += held
  }
  return { stems, weight, coverage: all === 0 ? 0 : weight / all }
}

/**
 * Whether a text of the view holds a share of the query's information. Only what holds one of the stems that the rest does not
 * make up for is looked at, the rarest first.
 */
export function isCovered(view: View, asked: readonly AskedStem[], share: number): boolean {
  const left = view.kindSizes.map((_, kind) =>
    asked.reduce((sum, { information }) => sum + (information[kind] ?? 0), 0),
  )
  const enough = left.map((all) => share * all)
  for (const { posting, information } of asked) {
    if (left.every((rest, kind) => rest < (enough[kind] ?? 0))) return false
    for (const text of posting?.texts ?? []) {
      if (view.texts[text.place] === text && coverageOf(text, view, asked).coverage >= share) return true
    }
    for (const [kind, held] of information.entries()) left[kind] = (left[kind] ?? 0) - held
  }
  return false
}
