import type { DataStore } from './data-store.ts'
import { type LessonShelf, PassingLessons } from './lessons.ts'
import { type OutcomeLog, PassingOutcomes } from './outcomes.ts'

/** What runs leave for later ones to learn from. */
export interface Learning {
  outcomes: OutcomeLog
  lessons: LessonShelf
}

/**
 * Outcomes and lessons in a store, which is opened by the first call. Without one, and where it cannot be opened, they
 * last as long as the process; that it cannot is told by the memory that shares it.
 */
export function learningIn(store: DataStore | undefined): Learning {
  const passing: Learning = { outcomes: new PassingOutcomes(), lessons: new PassingLessons() }
  if (store === undefined) return passing
  const now = (): Learning => {
    try {
      store.open()
      return store
    } catch {
      return passing
    }
  }
  return {
    outcomes: {
      add: async (...args) => now().outcomes.add(...args),
      list: async (query) => now().outcomes.list(query),
    },
    lessons: {
      add: async (lesson) => now().lessons.add(lesson),
      list: async (query) => now().lessons.list(query),
      remove: async (lesson) => now().lessons.remove(lesson),
    },
  }
}
