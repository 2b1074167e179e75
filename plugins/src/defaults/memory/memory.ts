import {
  definePlugin,
  type Inputs,
  type Lesson,
  type MemoryHit,
  type RunContext,
  ThreeLayerMemory,
  type Warning,
} from '@svc/core'
import { createMemoryBackend, ownedSpace } from '@svc/core/components'
import { PerName } from '@svc/core/support'
import { type LessonStore, StoredLessons } from './lessons.ts'
import { createMemoryApis } from './memory-api.ts'
import { handOver, recallFor } from './memory-recall.ts'
import { RunLessons } from './run-lessons.ts'
import { toRunMemory } from './run-memories.ts'
import { WriteQueue } from './write-queue.ts'

export interface MemoryOptions {
  /** Where things are remembered, or what makes that for an owner; default a memory in the store of the runs. */
  memory?: ThreeLayerMemory | ((owner: string) => ThreeLayerMemory)
  /** Where lessons of reflections are kept, or what makes that for an owner; default in the store of the runs. */
  lessons?: LessonStore | ((owner: string) => LessonStore)
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

/** What one owner's runs remember, what waits to be written there, and what they were taught. */
interface OwnMemory {
  store: ThreeLayerMemory
  writes: WriteQueue
  lessons: RunLessons
}

/**
 * Recalls before the plan what earlier runs and people left that concerns the task, and records one memory of the run at the
 * end: what was asked, how it ended, what its answer is worth and, where nothing speaks against it, what was answered. Provides
 * `host.memory`.
 *
 * What a person asked is trusted; what a model answered is untrusted, and taints later runs where its own had read something
 * untrusted. Unasked, an answer is recalled only of a run that was completed with the verdict `pass`; of one that is unverified
 * only what the person said. A run in a thread recalls the thread; every run recalls what belongs to no thread, unless
 * `persistSessions` is false. What reflections taught is kept as lessons: at most three that fit the task are recalled, and how
 * the run ends says how far they are trusted from then on. Runs of deterministic models, and runs with `persistSessions` false,
 * have none. A run recalls and writes the memory of its owner, and nothing of any other.
 *
 * Answers no stage: hits go to `run.recalled`. Writing is put off, so that no result waits for it; a recall waits for what
 * was put off. A memory that fails is a warning and never ends a run.
 */
export const memory = definePlugin('memory', (host, options: MemoryOptions) => {
  const { persistSessions = true, llm = false } = options
  const { space } = host
  const ownLessons = (owner: string): LessonStore => new StoredLessons(host, ownedSpace(owner, space), undefined, true)
  const memories = new PerName<OwnMemory>((owner) => ({
    store:
      ownOf(options.memory, owner) ??
      new ThreeLayerMemory({ backend: createMemoryBackend(host, { space, owner, isOfRuns: true }) }),
    writes: new WriteQueue(),
    lessons: new RunLessons(ownOf(options.lessons, owner) ?? ownLessons(owner)),
  }))
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
    const { writes } = memories.of(run.owner)
    for (const thrown of writes.takeFailures()) run.warn(unavailable(thrown, 'an earlier run was not remembered'))
    for (const warning of options.warnings?.() ?? []) run.warn(warning)
  }

  host.memory.provide(createMemoryApis(memories).of(''))
  /** Runs that recall nothing leave nothing either. */
  const isOutside = (run: RunContext): boolean =>
    run.options.memory === false || (!persistSessions && run.threadId === undefined)
  const recallAll = async (input: Inputs['plan'], run: RunContext): Promise<void> => {
    const { store, writes, lessons } = memories.of(run.owner)
    const read = async (): Promise<{ lessons: Lesson[]; hits: MemoryHit[] }> => {
      const picked = hasLessons(run) ? await guarded(run, () => lessons.pick(input)) : undefined
      await writes.flush()
      const found = await guarded(run, () => recallFor(store, input, run, { persistSessions, llm }))
      return { lessons: picked ?? [], hits: found ?? [] }
    }
    const recalled = await run.record('memory/recalled', read, { effect: 'pure', request: input.task.description })
    warn(run)
    handOver([...lessons.toHits(recalled.lessons, run), ...recalled.hits], input, run)
  }
  const recordAll = async (input: Inputs['inspect'], run: RunContext): Promise<void> => {
    const { store, writes, lessons } = memories.of(run.owner)
    if (hasLessons(run)) await guarded(run, () => lessons.learn(input, run))
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

/** Hands over what is to be remembered of a run; a replay hands over nothing. */
async function record(
  store: ThreeLayerMemory,
  writes: WriteQueue,
  input: Inputs['inspect'],
  run: RunContext,
): Promise<void> {
  const now = run.now()
  // A run has one memory, also where others share its seed.
  const id = run.id.replace('run_', 'mem_')
  const memory = toRunMemory(input, run)
  const write = async (): Promise<boolean> => {
    writes.add(async () => {
      await store.write(memory, { now: () => now, newId: () => id, records: run.records })
    })
    // What outlives the process leaves not after the record that says so: a crash in between writes it again, under the same id.
    if (store.isAwaited) await writes.flush()
    writes.add(async () => {
      if (store.unconsolidated >= EPISODES_TO_CONSOLIDATE) await store.consolidate({ now: () => now })
    })
    return true
  }
  await run.record('memory/written', write, { effect: 'pure' })
  run.emit('memory.written', { id, layer: 'episodic', bytes: Buffer.byteLength(memory.content) })
  run.defer(() => writes.flush())
}

/** What was given for an owner: one thing that was given is the shared one. */
function ownOf<T extends object>(given: T | ((owner: string) => T) | undefined, owner: string): T | undefined {
  if (typeof given === 'function') return given(owner)
  return owner === '' ? given : undefined
}

function unavailable(thrown: unknown, what: string): Warning {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return { code: 'memory_unavailable', message: `${what}: ${message}` }
}
