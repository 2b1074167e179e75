import type { Lesson } from '../../contracts/memory/lesson.ts'
import { containment, toStems } from '../../text/index.ts'

/** Lessons that a run gets at most, and how far they must be trusted. */
const MAX_PICKED = 3
const PICKED_FROM = 0.5
const RELEVANT_FROM = 0.2

/** How far a lesson can be trusted: the mean of a Beta distribution over the outcomes of runs that used it, .5 unused. */
export const trustOf = ({ successes, failures }: Pick<Lesson, 'successes' | 'failures'>): number =>
  (successes + 1) / (successes + failures + 2)

/** A lesson after a run that used it. */
export const withOutcome = (lesson: Lesson, succeeded: boolean): Lesson =>
  succeeded ? { ...lesson, successes: lesson.successes + 1 } : { ...lesson, failures: lesson.failures + 1 }

/**
 * At most three lessons for a run: those that fit its task and scope, trusted at least .5, the most fitting and most
 * trusted first.
 *
 * @param scope lessons of another scope are left out; those without one fit everywhere
 */
export function pickLessons(
  lessons: readonly Lesson[],
  task: string,
  { scope }: { scope?: string | undefined } = {},
): Lesson[] {
  const words = new Set(toStems(task))
  return lessons
    .filter((lesson) => trustOf(lesson) >= PICKED_FROM)
    .filter((lesson) => lesson.scope === undefined || lesson.scope === scope)
    .map((lesson) => ({ lesson, fit: containment(new Set(toStems(lesson.trigger)), words) }))
    .filter(({ lesson, fit }) => fit >= RELEVANT_FROM || (lesson.scope !== undefined && lesson.scope === scope))
    .sort((a, b) => b.fit - a.fit || trustOf(b.lesson) - trustOf(a.lesson))
    .slice(0, MAX_PICKED)
    .map(({ lesson }) => lesson)
}
