import {
  definePlugin,
  type Inputs,
  type Lesson,
  type MemoryHit,
  type MemoryInput,
  type RunContext,
  ThreeLayerMemory,
  type Warning,
} from '@svc/core'
import { createMemoryBackend, recalledTag } from '@svc/core/components'
import { type LessonStore, StoredLessons } from './lessons.ts'
import { createMemoryApi } from './memory-api.ts'
import { handOver, recallFor } from './memory-recall.ts'
import { RunLessons } from './run-lessons.ts'
import { toAnswerSummary, toTaskSummary } from './run-memories.ts'
import { WriteQueue } from './write-queue.ts'

export interface MemoryOptions {
  /** Where things are remembered; default a memory in the store of the runs. */
  memory?: ThreeLayerMemory
  /** Where lessons of reflections are kept; default in the store of the runs. */
  lessons?: LessonStore
  /** Whether runs outside of threads remember earlier ones and are remembered; default true. */
  persistSessions?: boolean
  /** Whether the run's default model puts the best twenty hits in order before they are recalled; default false. */
  llm?: boolean
  /** What does not work at present; asked after recalling and at the end, and added to the run's warnings. */
  warnings?: () => readonly Warning[]
}

/** Before the default planner, which reads what is recalled. */
const BEFORE_DEFAULT = -100
const EPISODES_TO_CONSOLIDATE = 20

/**
 * Recalls before the plan what earlier runs and people left that concerns the task, and records at the end what was
 * asked, how the run ended and, where nothing speaks against the answer, what was answered. Provides `host.memory`.
 *
 * What a person asked is trusted; what a model answered is untrusted, taints later runs where its own had read something
 * untrusted, and is remembered only of a run that was completed and whose checks and claims hold. A run in a thread
 * recalls the thread; every run recalls what belongs to no thread, unless `persistSessions` is false. What reflections
 * taught is kept as lessons: at most three that fit the task are recalled, and how the run ends says how far they are
 * trusted from then on. Runs of deterministic models, and runs with `persistSessions` false, have none.
 *
 * Answers no stage: hits go to `run.recalled`. Writing is put off, so that no result waits for it; a recall waits for what
 * was put off. A memory that fails is a warning and never ends a run.
 */
export const memory = definePlugin('memory', (host, options: MemoryOptions) => {
  const { persistSessions = true, llm = false } = options
  const store = options.memory ?? new ThreeLayerMemory({ backend: createMemoryBackend(host, { space: host.space }) })
  const writes = new WriteQueue()
  const lessons = new RunLessons(options.lessons ?? new StoredLessons(host, host.space))
  const hasLessons = (run: RunContext): boolean => persistSessions && run.options.memory !== false && !run.deterministic
  const guarded = async <T>(run: RunContext, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (thrown) {
      if (run.signal.aborted) throw thrown
      run.warn(unavailable(thrown, 'the run went on without its memory'))
      return undefined
    }
  }
  const warn = (run: RunContext): void => {
    for (const thrown of writes.takeFailures()) run.warn(unavailable(thrown, 'an earlier run was not remembered'))
    for (const warning of options.warnings?.() ?? []) run.warn(warning)
  }

  host.memory.provide(createMemoryApi(store, writes))
  /** Runs that recall nothing leave nothing either. */
  const isOutside = (run: RunContext): boolean =>
    run.options.memory === false || (!persistSessions && run.threadId === undefined)
  const recallAll = async (input: Inputs['plan'], run: RunContext): Promise<void> => {
    const read = async (): Promise<{ lessons: Lesson[]; hits: MemoryHit[] }> => {
      const picked = hasLessons(run) ? await guarded(run, () => lessons.pick(input)) : undefined
      await writes.flush()
      const found = await guarded(run, () => recallFor(store, input, run, { persistSessions, llm }))
      return { lessons: picked ?? [], hits: found ?? [] }
    }
    const recalled = await run.record('memory/recalled', read, { effect: 'pure' })
    warn(run)
    handOver([...lessons.recall(recalled.lessons, run), ...recalled.hits], input, run)
  }
  const recordAll = async (input: Inputs['inspect'], run: RunContext): Promise<void> => {
    if (hasLessons(run)) await guarded(run, () => lessons.learn(input, run, run.isTainted ? 'untrusted' : 'trusted'))
    await guarded(run, () => record(store, writes, input, run))
    warn(run)
  }
  host.hooks.plan.tapPromise({ name: 'memory', stage: BEFORE_DEFAULT }, async (answer, input, run) => {
    if (input.previous === undefined && run.recalled.length === 0) {
      if (isOutside(run)) warn(run)
      else await recallAll(input, run)
    }
    return answer
  })
  host.hooks.inspect.tapPromise({ name: 'memory', stage: BEFORE_DEFAULT }, async (answer, input, run) => {
    if (isOutside(run)) warn(run)
    else await recordAll(input, run)
    return answer
  })
})

/** Hands over what is to be remembered of a run, with its id; a replay hands over nothing. */
async function record(
  store: ThreeLayerMemory,
  writes: WriteQueue,
  input: Inputs['inspect'],
  run: RunContext,
): Promise<void> {
  const now = run.now()
  // Runs may share a seed; their records stand in one store.
  const idOf = (one: MemoryInput): string => run.newId('mem', `memory/${run.id}/${one.source?.origin}`)
  const written = recordsOf(input, run).map((one) => ({ one, id: idOf(one) }))
  await run.record('memory/written', async () => {
    writes.add(async () => {
      for (const { one, id } of written) await store.write(one, { now: () => now, newId: () => id })
      if (store.unconsolidated >= EPISODES_TO_CONSOLIDATE) await store.consolidate({ now: () => now })
    })
    // What outlives the process is recorded as written when it is: a crash in between writes it again, under the same id.
    if (store.isAwaited) await writes.flush()
    return true
  })
  for (const { one, id } of written) {
    run.emit('memory.written', { id, layer: 'episodic', bytes: Buffer.byteLength(one.content) })
  }
  run.defer(() => writes.flush())
}

/** What a person asked, and what a model answered to it. */
function recordsOf({ task, ...input }: Inputs['inspect'], run: RunContext): MemoryInput[] {
  const ended = { ...input, missing: run.view.missingEffect }
  const about = {
    kind: 'summary' as const,
    tags: [...new Set(['run', ended.execution.status, ...(run.options.tags ?? [])])],
    ...(run.threadId === undefined ? {} : { threadId: run.threadId }),
  }
  const answer = toAnswerSummary(task.description, ended)
  return [
    { ...about, content: toTaskSummary(task.description, ended), source: { runId: run.id, origin: 'user' } },
    ...(answer === undefined
      ? []
      : [
          {
            ...about,
            tags: [...about.tags, ...run.recalled.map(({ id }) => recalledTag(id))],
            content: answer,
            source: { runId: run.id, origin: 'model' as const, untainted: !run.isTainted },
          },
        ]),
  ]
}

function unavailable(thrown: unknown, what: string): Warning {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return { code: 'memory_unavailable', message: `${what}: ${message}` }
}
