import type { Lesson } from '../../contracts/lesson.ts'
import { containment, toStems } from '../../text/index.ts'

/** Lessons that a run gets at most, and how far they must be trusted. */
const MAX_PICKED = 3
const PICKED_FROM = 0.5
/** A lesson that was used so often and is trusted less is given up. */
const RETIRED_AFTER = 5
const RETIRED_BELOW = 0.3
const EVIDENCE = 12
const RELEVANT_FROM = 0.2

type Uses = Pick<Lesson, 'successes' | 'failures'>

/** How far a lesson can be trusted: the mean of a Beta distribution over the outcomes of runs that used it, .5 unused. */
export const trustOf = ({ successes, failures }: Uses): number => (successes + 1) / (successes + failures + 2)

/** Whether a lesson has had its chance: five uses, and trusted less than .3. */
export const isRetired = (lesson: Uses): boolean =>
  lesson.successes + lesson.failures >= RETIRED_AFTER && trustOf(lesson) < RETIRED_BELOW

/** A lesson after a run that used it. */
export const withOutcome = (lesson: Lesson, succeeded: boolean): Lesson =>
  succeeded ? { ...lesson, successes: lesson.successes + 1 } : { ...lesson, failures: lesson.failures + 1 }

/**
 * The lessons for a run: those that fit its task and scope, trusted at least .5, the most fitting and most trusted
 * first.
 *
 * @param scope lessons of another scope are left out; those without one fit everywhere
 */
export function pickLessons(
  lessons: readonly Lesson[],
  task: string,
  { scope, limit = MAX_PICKED }: { scope?: string | undefined; limit?: number } = {},
): Lesson[] {
  const words = new Set(toStems(task))
  return lessons
    .filter((lesson) => !isRetired(lesson) && trustOf(lesson) >= PICKED_FROM)
    .filter((lesson) => lesson.scope === undefined || lesson.scope === scope)
    .map((lesson) => ({ lesson, fit: containment(new Set(toStems(lesson.trigger)), words) }))
    .filter(({ lesson, fit }) => fit >= RELEVANT_FROM || (lesson.scope !== undefined && lesson.scope === scope))
    .sort((a, b) => b.fit - a.fit || trustOf(b.lesson) - trustOf(a.lesson))
    .slice(0, limit)
    .map(({ lesson }) => lesson)
}

/**
 * Lessons in memory, one for each advice and scope; fill it from a store at the start and put `all()` back after.
 *
 * @example
 * const store = new LessonStore(stored)
 * const picked = store.pick(task.description)
 * store.settle(picked, reflection.verdict === 'pass')
 */
export class LessonStore {
  readonly #lessons = new Map<string, Lesson>()

  constructor(lessons: readonly Lesson[] = []) {
    for (const lesson of lessons) this.add(lesson)
  }

  /** Takes a lesson in; one that is known keeps its outcomes and gains the evidence. */
  add(lesson: Lesson): void {
    const known = this.#lessons.get(nameOf(lesson))
    const evidence = [...new Set([...(known?.evidence ?? []), ...lesson.evidence])].slice(-EVIDENCE)
    this.#lessons.set(nameOf(lesson), { ...(known ?? lesson), evidence })
  }

  /** At most three lessons for a task; see `pickLessons`. */
  pick(task: string, options?: { scope?: string | undefined; limit?: number }): Lesson[] {
    return pickLessons([...this.#lessons.values()], task, options)
  }

  /** Records how a run with these lessons ended. */
  settle(picked: readonly Lesson[], succeeded: boolean): void {
    for (const lesson of picked) {
      const known = this.#lessons.get(nameOf(lesson))
      if (known !== undefined) this.#lessons.set(nameOf(lesson), withOutcome(known, succeeded))
    }
  }

  /** Every lesson with its outcomes, retired ones too: what was given up must not be learnt afresh. */
  all(): Lesson[] {
    return [...this.#lessons.values()]
  }
}

const nameOf = ({ trigger, advice, scope = '' }: Lesson): string => `${scope}\n${trigger}\n${advice}`
