/** Vectors of texts, one a text, in order; every vector of the same length. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>

const BATCH = 128
/** Reciprocal rank fusion: how little the first ranks stand out (Cormack et al., 2009). */
const RANK_OFFSET = 60

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
   * The texts nearest to a query, nearest first, with their cosine.
   *
   * @param texts by id, all that may be found
   */
  async search(query: string, texts: ReadonlyMap<string, string>, limit: number): Promise<[string, number][]> {
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
    const found: [string, number][] = []
    for (const id of texts.keys()) {
      const cosine = dot(wanted, this.#vectors.get(id) ?? new Float32Array())
      if (cosine > 0) found.push([id, cosine])
    }
    return found.sort((a, b) => b[1] - a[1]).slice(0, limit)
  }
}

/** Joins rankings: each gives a text 1 / (60 + rank). @returns ids best first, with scores in [0, 1] */
export function fuseRanks(rankings: readonly (readonly string[])[]): Map<string, number> {
  const scores = new Map<string, number>()
  const most = rankings.length / (RANK_OFFSET + 1)
  for (const ranking of rankings) {
    ranking.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + index + 1) / most)
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
