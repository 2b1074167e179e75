import {
  definePlugin,
  estimateTokens,
  type Inputs,
  type MemoryHit,
  type MemoryInput,
  type RunContext,
  ThreeLayerMemory,
  type Warning,
} from '@svc/core'
import { createRerank } from './memory-rerank.ts'
import { RunLessons } from './run-lessons.ts'
import { isSummaryOf, toSummary } from './run-summary.ts'
import { type LessonShelf, PassingLessons } from './stores/lessons.ts'
import { StoredMemory } from './stores/stored-memory.ts'

export interface MemoryOptions {
  /** Where things are remembered; default a memory that lasts as long as the plugin. */
  memory?: ThreeLayerMemory
  /** Where lessons of reflections are kept; default a shelf that lasts as long as the plugin. */
  lessons?: LessonShelf
  /** Whether runs outside of threads remember earlier ones and are remembered; default true. */
  persistSessions?: boolean
  /** Whether the run's default model puts the best twenty hits in order before they are recalled; default false. */
  llm?: boolean
  /** What the memory does without at present; asked after recalling and at the end, and told to the run. */
  warnings?: () => readonly Warning[]
}

/** Before the default planner, which reads what is recalled. */
const BEFORE_DEFAULT = -100
/** What a hit must hold of the task's information, by itself, to be worth a place in a prompt. */
const MIN_COVERAGE = 0.5
const MIN_SCORE = 0.25
const MOST_HITS = 5
const MOST_TOKENS = 1000
/** At most this share of the run's soft budget goes into what is recalled. */
const BUDGET_SHARE = 0.05
const QUERY_CHARACTERS = 4000
const EPISODES_TO_CONSOLIDATE = 20

/**
 * Recalls before the plan what earlier runs and people left that fits the task, and records at the end what was asked,
 * how the run ended and what it taught.
 *
 * What reflections taught is kept as lessons: at most three that fit the task are recalled, and how the run ends says how
 * far they are trusted from then on. Runs of deterministic models, and runs with `persistSessions` false, have none.
 *
 * A run in a thread recalls the thread; every run recalls what belongs to no thread, unless `persistSessions` is false.
 * Answers no stage: hits go to `run.recalled`. A memory that fails is a warning and never ends a run.
 */
export const memory = definePlugin('memory', ({ hooks }, options: MemoryOptions) => {
  const { memory: store = new ThreeLayerMemory(), persistSessions = true, llm = false } = options
  const tell = (run: RunContext): void => {
    for (const warning of options.warnings?.() ?? []) run.warn(warning)
  }
  const lessons = new RunLessons(options.lessons ?? new PassingLessons())
  const hasLessons = (run: RunContext): boolean => persistSessions && !run.deterministic

  hooks.plan.tapPromise({ name: 'memory', stage: BEFORE_DEFAULT }, async (answer, input, run) => {
    if (input.previous !== undefined || run.recalled.length > 0) return answer
    const told = hasLessons(run) ? await guarded(store, run, () => lessons.tell(input, run)) : undefined
    const found = await guarded(store, run, () => recall(store, input, run, { persistSessions, llm }))
    tell(run)
    handOver([...(told ?? []), ...(found ?? [])], input, run)
    return answer
  })
  hooks.inspect.tapPromise({ name: 'memory', stage: BEFORE_DEFAULT }, async (answer, input, run) => {
    if (hasLessons(run)) await guarded(store, run, () => lessons.learn(input, run, trustIn(run)))
    if (persistSessions || run.threadId !== undefined) await guarded(store, run, () => once(run, store, input))
    tell(run)
    return answer
  })
})

/** A replay remembers nothing anew. */
async function once(run: RunContext, store: ThreeLayerMemory, input: Inputs['inspect']): Promise<void> {
  const write = async (): Promise<boolean> => {
    await record(store, input, run)
    return true
  }
  if (run.record === undefined) await write()
  else await run.record('memory/written', write)
}

/** The best that fit into what the budget leaves for memories. */
function handOver(found: readonly MemoryHit[], { task, allocation }: Inputs['plan'], run: RunContext): void {
  const hits: MemoryHit[] = []
  let tokens = Math.min(MOST_TOKENS, Math.floor(allocation.total * BUDGET_SHARE))
  for (const hit of found) {
    tokens -= estimateTokens(hit.content)
    if (tokens < 0) break
    hits.push(hit)
  }
  if (hits.length === 0) return
  run.recall(hits)
  const query = toQuery(task)
  run.emit('memory.recalled', { query, ids: hits.map(({ id }) => id), scores: hits.map(({ score }) => score) })
}

const toQuery = ({ description }: Inputs['plan']['task']): string => description.slice(0, QUERY_CHARACTERS)

async function recall(
  store: ThreeLayerMemory,
  { task }: Inputs['plan'],
  run: RunContext,
  { persistSessions, llm }: { persistSessions: boolean; llm: boolean },
): Promise<MemoryHit[]> {
  const query = toQuery(task)
  const threads = [...(run.threadId === undefined ? [] : [run.threadId]), ...(persistSessions ? [''] : [])]
  const found = new Map<string, MemoryHit>()
  for (const threadId of threads) {
    const { data, low } = await store.query(
      // What is recalled is what was known then, so that a replay recalls the same.
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
    if (!low) for (const hit of data) if (isWorthIt(hit, task.description, run)) found.set(hit.id, hit)
  }
  return [...found.values()].sort((a, b) => b.score - a.score).slice(0, MOST_HITS)
}

/**
 * Whether a hit may go into a prompt. How the same task ended before is no evidence for how it is to be answered now, and
 * a deterministic model answers from what it can look up: outside of a thread the same question has the same answer.
 */
function isWorthIt(hit: MemoryHit, task: string, run: RunContext): boolean {
  if ((hit.parts.coverage ?? 0) < MIN_COVERAGE || hit.tags.includes('archived')) return false
  const { runId } = hit.source
  if (runId === undefined) return true
  if (runId === run.id || isSummaryOf(hit, task)) return false
  return !run.deterministic || hit.threadId !== undefined
}

async function record(store: ThreeLayerMemory, input: Inputs['inspect'], run: RunContext): Promise<void> {
  const { task, execution } = input
  const from = {
    ...(run.threadId === undefined ? {} : { threadId: run.threadId }),
    source: { runId: run.id, origin: 'model' as const },
    trust: trustIn(run),
  }
  await write(store, run, {
    content: toSummary(task.description, execution),
    kind: 'summary',
    tags: [...new Set(['run', execution.status, ...(run.options.tags ?? [])])],
    ...from,
  })
  if (store.unconsolidated >= EPISODES_TO_CONSOLIDATE) await store.consolidate(run)
}

async function write(store: ThreeLayerMemory, run: RunContext, input: MemoryInput): Promise<void> {
  const { id, layer, content } = await store.write(input, run)
  run.emit('memory.written', { id, layer, bytes: Buffer.byteLength(content) })
}

/** What a run wrote after it read something untrusted may carry its instructions on. */
const trustIn = (run: RunContext): MemoryHit['trust'] =>
  run.recalled.some(({ trust }) => trust === 'untrusted') ||
  run.events().some(({ type, data }) => type === 'tool.completed' && data.trust === 'untrusted')
    ? 'untrusted'
    : 'trusted'

async function guarded<T>(store: ThreeLayerMemory, run: RunContext, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const answer = await work()
    if (store instanceof StoredMemory) for (const warning of store.takeWarnings()) run.warn(warning)
    return answer
  } catch (thrown) {
    if (run.signal.aborted) throw thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    run.warn({ code: 'memory_unavailable', message: `the run went on without its memory: ${message}` })
    return undefined
  }
}
