import { createHash } from 'node:crypto'
import { createMemoryStore, fits, parse, type RecordSpace, type Store } from '@svc/core'
import { trustOf } from '@svc/core/components'
import { Lesson } from '@svc/core/schema'

/** What runs taught, with how often it helped. */
export interface LessonStore {
  /**
   * Keeps a lesson; successes, failures and evidence of one that says the same are added to it.
   *
   * @returns the lesson as it now stands
   * @throws ValidationError `validation_failed`
   */
  add(lesson: Lesson): Promise<Lesson>
  /** Those that helped most come first, then the newest. The newest 2000 are kept. */
  list(query?: { scope?: string }): Promise<Lesson[]>
  /** @returns whether there was one */
  remove(lesson: Lesson): Promise<boolean>
}

/** A lesson with the time of its last change, in milliseconds since the epoch. */
type KeptLesson = Lesson & { updatedAt: number }

const MOST_LESSONS = 2000
const MOST_EVIDENCE = 20

/** Lessons in a store. */
export class StoredLessons implements LessonStore {
  readonly #records: () => RecordSpace<KeptLesson>
  readonly #clock: () => number

  /** @param space the folder whose runs these are of */
  constructor(store: Pick<Store, 'records'>, space: string, clock: () => number = Date.now) {
    this.#records = () => store.records('lesson', space)
    this.#clock = clock
  }

  async add(input: Lesson): Promise<Lesson> {
    const lesson = parse(Lesson, input, 'lesson')
    const records = this.#records()
    const id = idOf(lesson)
    for (;;) {
      const before = await records.get(id)
      const now = before === undefined ? lesson : join(before, lesson)
      // Another process may have added to it meanwhile.
      if (await records.replace(id, before, { ...now, updatedAt: this.#clock() })) return withoutTime(now)
    }
  }

  async list({ scope }: { scope?: string } = {}): Promise<Lesson[]> {
    const records = this.#records()
    const { data } = await records.all()
    const newestFirst = data
      .filter(({ value }) => fits(Lesson, value))
      .sort((one, other) => other.value.updatedAt - one.value.updatedAt || other.seq - one.seq)
    await records.remove(newestFirst.splice(MOST_LESSONS).map(({ id }) => id))
    return newestFirst
      .map(({ value }) => withoutTime(value))
      .filter((lesson) => scope === undefined || lesson.scope === scope)
      .sort((one, other) => trustOf(other) - trustOf(one))
  }

  async remove(lesson: Lesson): Promise<boolean> {
    return (await this.#records().remove([idOf(lesson)])) > 0
  }
}

/** Lessons that last as long as the process. */
export class InMemoryLessons extends StoredLessons {
  constructor() {
    super(createMemoryStore(), '')
  }
}

/** Two lessons of one trigger, advice and scope are one. */
const idOf = ({ trigger, advice, scope = '' }: Lesson): string =>
  createHash('sha256')
    .update(JSON.stringify([scope, trigger, advice]))
    .digest('hex')

const withoutTime = ({ updatedAt: _, ...lesson }: Lesson & { updatedAt?: number }): Lesson => lesson

/** A lesson that was learnt once without reading what others wrote is as good as any. */
const join = ({ trust, ...before }: Lesson, lesson: Lesson): Lesson => ({
  ...before,
  ...(trust === 'untrusted' && lesson.trust === 'untrusted' ? { trust } : {}),
  ...(lesson.cause === undefined ? {} : { cause: lesson.cause }),
  evidence: [...new Set([...before.evidence, ...lesson.evidence])].slice(-MOST_EVIDENCE),
  successes: before.successes + lesson.successes,
  failures: before.failures + lesson.failures,
})
