import type { MemoryHit, MemoryQuery, MemoryRecord } from '../../../contracts/memory/memory.ts'
import { sourceTag } from '../records/record-time.ts'
import type { ContextIndex, RankedText } from './context-index.ts'
import { type DenseSearch, fuseRanks, provenWeight } from './dense-search.ts'
import type { IndexFilter, TextGroup } from './indexed-text.ts'

/**
 * Orders texts by how well they answer a query.
 *
 * @returns their places in the list that was given, best first; what is left out follows in its old order
 */
export type Rerank = (query: string, texts: readonly string[]) => Promise<readonly number[]>

/** Below this share of the query's information in any hit, the hits are not to be trusted. */
const LOW_COVERAGE = 0.25
/** As many of each ranking are joined. */
const JOINED = 100
const RERANKED = 20
/** Share of the hits that may be of runs where there is enough else that fits. */
const SHARE_OF_RUNS = 0.5
/** The best by words that vectors are held against. */
const PROVED_BY = 20

interface Sources {
  readonly index: ContextIndex
  readonly dense: DenseSearch | undefined
  readonly rerank: Rerank | undefined
  record(id: string): MemoryRecord | undefined
}

/**
 * The records that fit a query, best first: by words, joined with vectors where there are any, the first twenty put in
 * order by a reranker where there is one. Where vectors or reranker fail, the order by words stays. However many runs fit,
 * they take no more than half of the places that something else fits. Of a record and its copy in another layer one is found.
 */
export async function findRecords(
  { query, limit = 10, minScore = 0 }: MemoryQuery,
  { index, dense, rerank, record }: Sources,
  now: number,
  filter: IndexFilter,
  minCoverage = 0,
): Promise<{ hits: MemoryHit[]; low: boolean }> {
  const wanted = Math.max(limit, rerank === undefined ? 0 : RERANKED, dense === undefined ? 0 : JOINED)
  // Vectors are held against all that words find.
  const ofWords = dense === undefined ? { minCoverage } : {}
  const lexical = index.search(query, { limit: wanted, now, filter, kindOf, ...ofWords })
  const low = !lexical.some((hit) => (hit.parts.coverage ?? 0) >= LOW_COVERAGE)
  const ranked = dense === undefined ? lexical : await joinDense(query, lexical, { index, dense, record }, now, filter)
  const hits: MemoryHit[] = []
  for (const { id, score, parts } of ranked) {
    const found = record(id)
    if (found === undefined || score < minScore || (parts.coverage ?? 0) < minCoverage) continue
    hits.push({ ...found, tags: [...found.tags], source: { ...found.source }, score, parts })
  }
  // What was promoted stands in two layers.
  const isCopied = ({ id, content }: MemoryHit): boolean =>
    hits.some((other) => other.content === content && other.tags.includes(sourceTag(id)))
  const once = hits.filter((hit) => !isCopied(hit))
  const shared = shareOut(once, Math.max(limit, rerank === undefined ? 0 : RERANKED))
  const ordered = rerank === undefined ? shared : await reorder(query, shared, rerank)
  return { hits: ordered.slice(0, limit), low }
}

const kindOf = ({ runId }: TextGroup): string => (runId === undefined ? 'said' : 'run')

/** The best hits: those of runs only so far as they leave room for the others. */
function shareOut(hits: readonly MemoryHit[], limit: number): MemoryHit[] {
  const others = hits.filter(({ source }) => source.runId === undefined).length
  let ofRuns = Math.max(Math.floor(limit * SHARE_OF_RUNS), limit - others)
  return hits.filter(({ source }) => source.runId === undefined || ofRuns-- > 0).slice(0, limit)
}

/**
 * Ranks by words and by vectors as one. How much vectors count is what they prove: how much nearer to the query than other
 * texts they put those that words find. Vectors that know nothing put them anywhere, and count next to nothing; so an
 * embedder weaker than the words cannot spoil what the words find.
 */
async function joinDense(
  query: string,
  lexical: readonly RankedText[],
  { index, dense, record }: Pick<Sources, 'index' | 'record'> & { dense: DenseSearch },
  now: number,
  filter: IndexFilter,
): Promise<readonly RankedText[]> {
  const texts = new Map(index.visible({ now, filter }).map((id) => [id, record(id)?.content ?? '']))
  const near = await dense.rank(query, texts).catch(() => undefined)
  if (near === undefined) return lexical
  const cosines = new Map(near)
  const byWords = new Map(lexical.map((hit) => [hit.id, hit]))
  const weight = provenWeight(
    lexical.slice(0, PROVED_BY).map(({ id }) => id),
    near.map(([id]) => id),
  )
  const nearest = near.filter(([, cosine]) => cosine > 0).slice(0, JOINED)
  const fused = fuseRanks([
    { ids: lexical.map(({ id }) => id), weight: 1 },
    { ids: nearest.map(([id]) => id), weight },
  ])
  return [...fused].map(([id, score]) => ({
    id,
    score,
    parts: { ...byWords.get(id)?.parts, dense: Math.max(0, cosines.get(id) ?? 0) },
  }))
}

/** Scores stay in order of rank: the best of the new order has the best score of the old one. */
async function reorder(query: string, hits: MemoryHit[], rerank: Rerank): Promise<MemoryHit[]> {
  const head = hits.slice(0, RERANKED)
  const texts = head.map(({ content }) => content)
  const order = head.length < 2 ? undefined : await rerank(query, texts).catch(() => undefined)
  if (order === undefined) return hits
  const places = [...new Set([...order, ...head.keys()])].filter((place) => head[place] !== undefined)
  const moved = places.flatMap((place, rank) => {
    const hit = head[place]
    return hit === undefined
      ? []
      : [{ ...hit, score: head[rank]?.score ?? 0, parts: { ...hit.parts, rank: place + 1 } }]
  })
  return [...moved, ...hits.slice(RERANKED)]
}
