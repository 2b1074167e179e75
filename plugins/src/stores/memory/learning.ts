import type { DataStore } from './data-store.ts'
import { InMemoryLessons, type LessonStore } from './lessons.ts'
import { InMemoryOutcomes, type OutcomeLog } from './outcomes.ts'

/** What runs leave for later ones to learn from. */
export interface Learning {
  outcomes: OutcomeLog
  lessons: LessonStore
}

/**
 * Outcomes and lessons in a store, which is opened by the first call. Without one, and where it cannot be opened, they
 * last as long as the process; the memory that shares the store warns about it.
 */
export function learningIn(store: DataStore | undefined): Learning {
  const inMemory: Learning = { outcomes: new InMemoryOutcomes(), lessons: new InMemoryLessons() }
  if (store === undefined) return inMemory
  const now = (): Learning => {
    try {
      store.open()
      return store
    } catch {
      return inMemory
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
