import { createHash } from 'node:crypto'
import type { Inputs, Lesson, MemoryHit, RunContext } from '@svc/core'
import { pickLessons, trustOf, withOutcome } from '@svc/core/components'
import { successOfRun } from '../run-success.ts'
import type { LessonStore } from './lessons.ts'

/**
 * Lessons from run to run: what reflections taught is stored, what fits a task is recalled for its run, and how that run
 * ends says how far the lesson is to be trusted.
 *
 * Who recalls records that with the run, and so does what it learns, so that a replay recalls the same and writes nothing.
 */
export class RunLessons {
  readonly #store: LessonStore

  constructor(store: LessonStore) {
    this.#store = store
  }

  /** At most three lessons that fit the task and are trusted at least .5. */
  async pick({ task }: Pick<Inputs['plan'], 'task'>): Promise<Lesson[]> {
    const lessons = await this.#store.list()
    return lessons.length === 0 ? [] : pickLessons(lessons, task.description, { scope: task.domain })
  }

  /** The lessons as memories that can be recalled; how the run ends says how far they are to be trusted. */
  toHits(lessons: readonly Lesson[], run: RunContext): MemoryHit[] {
    return lessons.map((lesson) => toHit(lesson, new Date(run.now()).toISOString()))
  }

  /** Stores what the run taught, and counts how the run ended for the lessons that it recalled. */
  async learn(input: Inputs['inspect'], run: RunContext): Promise<void> {
    const learnt = input.reflection?.lessons ?? []
    if (run.recalled.length === 0 && learnt.length === 0) return
    const succeeded = successOfRun(input, run.view)
    const recalled = new Set(succeeded === undefined ? [] : run.recalled.map(({ id }) => id))
    const trust: Pick<Lesson, 'trust'> = run.isTainted ? { trust: 'untrusted' } : {}
    const put = async (): Promise<number> => {
      const used = recalled.size === 0 ? [] : (await this.#store.list()).filter((lesson) => recalled.has(idOf(lesson)))
      const added = [
        ...used.map((lesson) => withOutcome(unused(lesson), succeeded === true)),
        ...learnt.map((lesson) => ({ ...unused(lesson), ...trust })),
      ]
      // In one go: what leaves with the run leaves with the record that says so. Else a crash in between counts it twice.
      await Promise.all(added.map((lesson, nth) => this.#store.add(lesson, `${run.id}/${nth}`, run.records)))
      return learnt.length
    }
    await run.record('lessons/learnt', put, { effect: 'pure' })
  }
}

/** The lesson without its outcomes: the store adds those that it is given to its own. */
const unused = (lesson: Lesson): Lesson => ({ ...lesson, successes: 0, failures: 0 })

function idOf({ scope = '', trigger, advice }: Lesson): string {
  const hash = createHash('sha256').update(JSON.stringify([scope, trigger, advice]))
  return `lesson_${hash.digest('hex').slice(0, 26)}`
}

function toHit(lesson: Lesson, time: string): MemoryHit {
  const { trigger, advice, cause, evidence, trust = 'trusted', successes, failures } = lesson
  const runId = evidence.at(-1)?.split(':')[0]
  return {
    id: idOf(lesson),
    layer: 'long-term',
    kind: 'lesson',
    content: `${trigger}: ${advice}`,
    tags: cause === undefined ? [] : [cause],
    source: { ...(runId ? { runId } : {}), origin: 'model', ...(trust === 'trusted' && { untainted: true }) },
    trust: 'untrusted',
    importance: 0.5,
    validFrom: time,
    createdAt: time,
    lastAccessedAt: time,
    accessCount: successes + failures,
    score: trustOf(lesson),
    parts: { trust: trustOf(lesson) },
  }
}
