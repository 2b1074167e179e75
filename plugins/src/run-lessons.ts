import { createHash } from 'node:crypto'
import { type Inputs, type Lesson, type MemoryHit, pickLessons, type RunContext, trustOf, withOutcome } from '@svc/core'
import { successOfRun } from './run-success.ts'
import type { LessonShelf } from './stores/lessons.ts'

/**
 * Lessons from run to run: what reflections teach is stored, what fits a task is given to its run, and how that run ends
 * raises or lowers the trust in the lesson.
 *
 * What is read from the store or written to it is recorded with the run, so that a replay gets the same and teaches
 * nothing.
 */
export class RunLessons {
  readonly #store: LessonShelf
  readonly #told = new WeakMap<RunContext, readonly Lesson[]>()

  constructor(store: LessonShelf) {
    this.#store = store
  }

  /** At most three lessons that fit the task and are trusted at least .5, as memories that can be recalled. */
  async tell({ task }: Pick<Inputs['plan'], 'task'>, run: RunContext): Promise<MemoryHit[]> {
    const pick = async (): Promise<Lesson[]> =>
      pickLessons(await this.#store.list(), task.description, { scope: task.domain })
    const told = await run.record('lessons/told', pick)
    this.#told.set(run, told)
    return told.map((lesson) => toHit(lesson, new Date(run.now()).toISOString()))
  }

  /** Stores what the run taught, and counts for the lessons that it was given how it ended. */
  async learn(input: Inputs['inspect'], run: RunContext, trust: MemoryHit['trust']): Promise<void> {
    const put = async (): Promise<number> => {
      const succeeded = successOfRun(input)
      const told = succeeded === undefined ? [] : (this.#told.get(run) ?? [])
      for (const lesson of told) await this.#store.add(withOutcome(unused(lesson), succeeded === true))
      const learnt = input.reflection?.lessons ?? []
      for (const lesson of learnt) {
        await this.#store.add({ ...unused(lesson), ...(trust === 'untrusted' ? { trust } : {}) })
      }
      return learnt.length
    }
    await run.record('lessons/learnt', put)
  }
}

/** The lesson without its outcomes: the store adds those that it is given to its own. */
const unused = (lesson: Lesson): Lesson => ({ ...lesson, successes: 0, failures: 0 })

function toHit(lesson: Lesson, time: string): MemoryHit {
  const { trigger, advice, scope = '', cause, evidence, trust = 'trusted', successes, failures } = lesson
  const id = createHash('sha256')
    .update(JSON.stringify([scope, trigger, advice]))
    .digest('hex')
  const runId = evidence.at(-1)?.split(':')[0]
  return {
    id: `lesson_${id.slice(0, 26)}`,
    layer: 'long-term',
    kind: 'lesson',
    content: `${trigger}: ${advice}`,
    tags: cause === undefined ? [] : [cause],
    source: { ...(runId ? { runId } : {}), origin: 'model' },
    trust,
    importance: 0.5,
    validFrom: time,
    createdAt: time,
    lastAccessedAt: time,
    accessCount: successes + failures,
    score: trustOf(lesson),
    parts: { trust: trustOf(lesson) },
  }
}
