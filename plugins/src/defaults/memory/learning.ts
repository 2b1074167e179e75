import { createMemoryStore, type Store } from '@svc/core'
import { type LessonStore, StoredLessons } from './lessons.ts'
import { type OutcomeLog, StoredOutcomes } from './outcomes.ts'

/** What runs leave for later ones to learn from. */
export interface Learning {
  outcomes: OutcomeLog
  lessons: LessonStore
}

/**
 * Outcomes and lessons in a store.
 *
 * @param store default one that lasts as long as the process
 * @param space the folder whose runs these are of
 * @param isOfRuns whether the store is that of the runs
 */
export const createLearning = (
  store: Pick<Store, 'records'> = createMemoryStore(),
  space = '',
  clock?: () => number,
  isOfRuns = false,
): Learning => ({
  outcomes: new StoredOutcomes(store, space, isOfRuns),
  lessons: new StoredLessons(store, space, clock, isOfRuns),
})
