import { estimateTokens, type Inputs, type MemoryHit, type RunContext, type ThreeLayerMemory } from '@svc/core'
import { containment, toStems } from '@svc/core/text'
import { createRerank } from './memory-rerank.ts'
import { isKnown, isQuestion, isSummaryOf, saidIn } from './run-memories.ts'

type PlanInput = Inputs['plan']

/** What a hit must hold of the task's information by itself: this share of it, in two words or in one that is rare (in nats). */
const MIN_COVERAGE = 0.5
const MIN_STEMS = 2
const RARE = 4.5
const MIN_SCORE = 0.25
const MOST_HITS = 5
const MOST_OF_RUNS = 3
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

/**
 * At most five memories that concern the task, of its thread and of what belongs to none: what people said outside of runs
 * first, then what others did, then of at most three runs what is known of them; each best first.
 */
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
      { query, limit: 2 * MOST_HITS, minScore: MIN_SCORE, scope: { threadId } },
      // By its clock: a run that goes on after a crash before its recall was recorded recalls what was known when it began.
      run,
      { minCoverage: MIN_COVERAGE, ...(llm && !run.deterministic ? { rerank: createRerank(run, threadId) } : {}) },
    )
    if (!low) found.push(...data.filter((hit) => isWorthIt(hit, task.description, run)))
  }
  const best = found.sort((a, b) => b.score - a.score)
  const said = best.filter(({ source }) => source.runId === undefined)
  const isOfPerson = ({ source }: MemoryHit): boolean => source.origin === 'user'
  const ofRuns = best
    .filter(({ source }) => source.runId !== undefined)
    .flatMap((hit) => knownOf(hit, task.description))
  return [
    ...said.filter(isOfPerson),
    ...said.filter((hit) => !isOfPerson(hit)),
    ...ofRuns.slice(0, MOST_OF_RUNS),
  ].slice(0, MOST_HITS)
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

/** Whether a hit holds so much of a task by itself that it may go into a prompt unasked. */
export const isRelevant = ({ parts: { coverage = 0, stems = 0, weight = 0 } }: Pick<MemoryHit, 'parts'>): boolean =>
  coverage >= MIN_COVERAGE && (stems >= MIN_STEMS || weight >= RARE)

/**
 * Whether a hit may go into a prompt. How the same task ended before is no evidence for how it is to be answered now, a turn of
 * the thread that is sent itself is not sent twice, and a deterministic model answers from what it can look up: outside of a thread the same question has the same answer.
 */
function isWorthIt(hit: MemoryHit, task: string, run: RunContext): boolean {
  if (!isRelevant(hit)) return false
  const { runId } = hit.source
  if (runId === undefined) return true
  if (runId === run.id || isSummaryOf(hit, task) || run.thread.some((said) => said.runId === runId)) return false
  return !run.deterministic || hit.threadId !== undefined
}

/**
 * What may be recalled of a run: all of it where its answer was verified, else only what a person said. A question wants
 * answers. Anything else gets a model's words only where they hold more of the task than the person's: untrusted words in a
 * prompt make later tool calls ask for approval.
 */
function knownOf(hit: MemoryHit, task: string): MemoryHit[] {
  const said = saidIn(hit)
  const asked = new Set(toStems(task))
  const shareOf = (text: string): number => containment(asked, new Set(toStems(text)))
  const share = said === undefined ? 0 : shareOf(said.content)
  if (isKnown(hit) && (said === undefined || isQuestion(task) || share < shareOf(hit.content))) return [hit]
  return said !== undefined && share >= MIN_COVERAGE ? [said] : []
}
