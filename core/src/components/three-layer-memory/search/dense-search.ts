/** Vectors of texts, one a text, in order; every vector of the same length. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>

const BATCH = 128
/** Reciprocal rank fusion: how little the first ranks stand out (Cormack et al., 2009). */
const RANK_OFFSET = 60
/** Among fewer texts found by words vectors prove nothing. */
const FEWEST_PROOFS = 5
const UNPROVEN = 0.1

/** Finds texts by their vectors. Vectors are made when they are first needed, and kept as long as the texts. */
export class DenseSearch {
  readonly #embed: Embed
  readonly #vectors = new Map<string, Float32Array>()

  constructor(embed: Embed) {
    this.#embed = embed
  }

  forget(id: string): void {
    this.#vectors.delete(id)
  }

  /**
   * All texts, the nearest to a query first, with their cosine.
   *
   * @param texts by id
   */
  async rank(query: string, texts: ReadonlyMap<string, string>): Promise<[string, number][]> {
    if (texts.size === 0) return []
    const missing = [...texts].filter(([id]) => !this.#vectors.has(id))
    for (let from = 0; from < missing.length; from += BATCH) {
      const batch = missing.slice(from, from + BATCH)
      const vectors = await this.#embed(batch.map(([, text]) => text))
      batch.forEach(([id], index) => {
        this.#vectors.set(id, toUnit(vectors[index] ?? []))
      })
    }
    const [asked = []] = await this.#embed([query])
    const wanted = toUnit(asked)
    return [...texts.keys()]
      .map((id): [string, number] => [id, dot(wanted, this.#vectors.get(id) ?? new Float32Array())])
      .sort((a, b) => b[1] - a[1])
  }
}

/**
 * How much a ranking by vectors is to count beside one by words, in [0, 1]: the fourth power of how far above the middle it
 * puts, on average, the texts that words find. Where words find fewer than five there is nothing to prove it by: it then
 * counts a tenth, so that what only vectors find follows what words find.
 *
 * @param byWords ids, best first
 * @param byVectors ids of all texts, nearest first
 */
export function provenWeight(byWords: readonly string[], byVectors: readonly string[]): number {
  if (byWords.length < FEWEST_PROOFS) return UNPROVEN
  const wanted = new Set(byWords)
  let sum = 0
  byVectors.forEach((id, rank) => {
    if (wanted.has(id)) sum += 1 - rank / Math.max(1, byVectors.length - 1)
  })
  return Math.max(0, (2 * sum) / wanted.size - 1) ** 4
}

/** Joins rankings: each gives a text its weight / (60 + rank). @returns ids best first, with scores in [0, 1] */
export function fuseRanks(
  rankings: readonly { readonly ids: readonly string[]; readonly weight: number }[],
): Map<string, number> {
  const scores = new Map<string, number>()
  const most = rankings.reduce((sum, { weight }) => sum + weight, 0) / (RANK_OFFSET + 1)
  for (const { ids, weight } of rankings) {
    ids.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (RANK_OFFSET + index + 1) / most)
    })
  }
  return new Map([...scores].sort((a, b) => b[1] - a[1]))
}

function toUnit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1
  return Float32Array.from(vector, (value) => value / length)
}

function dot(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
