import { createHash } from 'node:crypto'
import { type Inputs, type Lesson, type MemoryHit, pickLessons, type RunContext, trustOf, withOutcome } from '@svc/core'
import { successOfRun } from './run-success.ts'
import type { LessonShelf } from './stores/lessons.ts'

/**
 * Lessons on their way from run to run: what reflections taught goes to a shelf, what fits a task is told to its run, and
 * how that run ends says how far the lesson is to be trusted.
 *
 * What is taken from the shelf or put there is recorded with the run, so that a replay is told the same and teaches
 * nothing.
 */
export class RunLessons {
  readonly #shelf: LessonShelf
  readonly #told = new WeakMap<RunContext, readonly Lesson[]>()

  constructor(shelf: LessonShelf) {
    this.#shelf = shelf
  }

  /** At most three lessons that fit the task and are trusted at least .5, as memories that can be recalled. */
  async tell({ task }: Pick<Inputs['plan'], 'task'>, run: RunContext): Promise<MemoryHit[]> {
    const pick = async (): Promise<Lesson[]> =>
      pickLessons(await this.#shelf.list(), task.description, { scope: task.domain })
    const told = run.record === undefined ? await pick() : await run.record('lessons/told', pick)
    this.#told.set(run, told)
    return told.map((lesson) => toHit(lesson, new Date(run.now()).toISOString()))
  }

  /** Keeps what the run taught, and counts for those lessons that it was told how it ended. */
  async learn(input: Inputs['inspect'], run: RunContext, trust: MemoryHit['trust']): Promise<void> {
    const put = async (): Promise<number> => {
      const succeeded = successOfRun(input)
      const told = succeeded === undefined ? [] : (this.#told.get(run) ?? [])
      for (const lesson of told) await this.#shelf.add(withOutcome(unused(lesson), succeeded === true))
      const learnt = input.reflection?.lessons ?? []
      for (const lesson of learnt) {
        await this.#shelf.add({ ...unused(lesson), ...(trust === 'untrusted' ? { trust } : {}) })
      }
      return learnt.length
    }
    if (run.record === undefined) await put()
    else await run.record('lessons/learnt', put)
  }
}

/** The lesson without its outcomes: the shelf adds those that it is given to its own. */
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
