import { estimateTokens, type Inputs, type MemoryHit, type RunContext, type ThreeLayerMemory } from '@svc/core'
import { createRerank } from './memory-rerank.ts'
import { isSummaryOf } from './run-memories.ts'

type PlanInput = Inputs['plan']

/** What a hit must hold of the task's information by itself: this share of it, in two words or in one that is rare (in nats). */
const MIN_COVERAGE = 0.5
const MIN_STEMS = 2
const RARE = 4.5
const MIN_SCORE = 0.25
const MOST_HITS = 5
const MOST_TOKENS = 1000
/** At most this share of the run's soft budget goes into what is recalled. */
const BUDGET_SHARE = 0.05
const QUERY_CHARACTERS = 4000

export interface RecallOptions {
  /** Whether runs outside of threads recall what belongs to no thread. */
  persistSessions: boolean
  /** Whether a model puts the hits in order. */
  llm: boolean
}

/** At most five memories that concern the task, best first: of its thread, and of what belongs to none. */
export async function recallFor(
  memory: ThreeLayerMemory,
  { task }: PlanInput,
  run: RunContext,
  { persistSessions, llm }: RecallOptions,
): Promise<MemoryHit[]> {
  const query = toQuery(task)
  const threads = [...(run.threadId === undefined ? [] : [run.threadId]), ...(persistSessions ? [''] : [])]
  const found: MemoryHit[] = []
  for (const threadId of threads) {
    const { data, low } = await memory.query(
      // A run that goes on after a crash before its recall was recorded recalls what was known when it began.
      {
        query,
        limit: 2 * MOST_HITS,
        minScore: MIN_SCORE,
        asOf: new Date(run.now()).toISOString(),
        scope: { threadId },
      },
      run,
      llm && !run.deterministic ? { rerank: createRerank(run, threadId) } : {},
    )
    if (!low) found.push(...data.filter((hit) => isWorthIt(hit, task.description, run)))
  }
  const best = found.sort((a, b) => b.score - a.score)
  return onePerRun(best, task.description).slice(0, MOST_HITS)
}

/** Hands over the best that fit into what the budget leaves for memories. */
export function handOver(found: readonly MemoryHit[], { task, allocation }: PlanInput, run: RunContext): void {
  const hits: MemoryHit[] = []
  let tokens = Math.min(MOST_TOKENS, Math.floor(allocation.total * BUDGET_SHARE))
  for (const hit of found) {
    tokens -= estimateTokens(hit.content)
    if (tokens < 0) break
    hits.push(hit)
  }
  if (hits.length === 0) return
  run.recall(hits)
  run.emit('memory.recalled', {
    query: toQuery(task),
    ids: hits.map(({ id }) => id),
    scores: hits.map(({ score }) => score),
  })
}

const toQuery = ({ description }: PlanInput['task']): string => description.slice(0, QUERY_CHARACTERS)

/**
 * Whether a hit may go into a prompt. How the same task ended before is no evidence for how it is to be answered now, and
 * a deterministic model answers from what it can look up: outside of a thread the same question has the same answer.
 */
function isWorthIt(hit: MemoryHit, task: string, run: RunContext): boolean {
  const { coverage = 0, stems = 0, weight = 0 } = hit.parts
  if (coverage < MIN_COVERAGE || (stems < MIN_STEMS && weight < RARE) || hit.tags.includes('archived')) return false
  const { runId } = hit.source
  if (runId === undefined) return true
  if (runId === run.id || isSummaryOf(hit, task)) return false
  return !run.deterministic || hit.threadId !== undefined
}

/**
 * Of each run what was asked or what was answered. A question wants answers. Anything else gets a model's words only where
 * they hold more of the task than the person's: untrusted words in a prompt make later tool calls ask for approval.
 */
function onePerRun(hits: readonly MemoryHit[], task: string): MemoryHit[] {
  const wantsAnswer = task.trimEnd().endsWith('?')
  const kept = new Map<string, MemoryHit>()
  for (const hit of hits) {
    const key = hit.kind === 'summary' && hit.source.runId !== undefined ? hit.source.runId : hit.id
    const other = kept.get(key)
    if (other === undefined || isBetter(hit, other, wantsAnswer)) kept.set(key, hit)
  }
  return hits.filter((hit) => [...kept.values()].includes(hit))
}

function isBetter(hit: MemoryHit, other: MemoryHit, wantsAnswer: boolean): boolean {
  if (hit.source.origin === other.source.origin) return false
  const gain = (hit.parts.coverage ?? 0) - (other.parts.coverage ?? 0)
  if (gain !== 0 && !wantsAnswer) return gain > 0
  return (hit.source.origin === 'model') === wantsAnswer
}
