import { createHash, randomUUID } from 'node:crypto'
import { createMemoryStore, fits, parse, type RecordSpace, type RunContext, type Store } from '@svc/core'
import { trustOf } from '@svc/core/components'
import { Lesson } from '@svc/core/schema'

/** What runs taught, with how often it helped. */
export interface LessonStore {
  /**
   * Keeps a lesson; successes, failures and evidence of one that says the same are added to it.
   *
   * @param from names who adds it: a second addition from there takes the place of the first. Default somebody new
   * @param leaving `records` of a run: the lesson may leave with its next commit, and is not waited for then
   * @returns the lesson as it now stands; as it was given, where it leaves with a run
   * @throws ValidationError `validation_failed`
   */
  add(lesson: Lesson, from?: string, leaving?: RunContext['records']): Promise<Lesson>
  /** Those that helped most come first, then the newest. The newest 2000 are kept. */
  list(query?: { scope?: string }): Promise<Lesson[]>
  /** @returns whether there was one */
  remove(lesson: Lesson): Promise<boolean>
}

/** A lesson, or what one addition says of it, with the time of its last change, in milliseconds since the epoch. */
type KeptLesson = Lesson & {
  updatedAt: number
  /** Additions that are in it, and may still stand beside it. */
  folded?: readonly string[]
}

/** A lesson as all of its records together say. */
interface JoinedLesson {
  id: string
  lesson: KeptLesson
  seq: number
  /** The record that additions were folded into. */
  whole: KeptLesson | undefined
  /** Ids of the records of additions. */
  parts: string[]
}

const MOST_LESSONS = 2000
const MOST_EVIDENCE = 20
/** So many additions to one lesson stand by themselves. */
const MOST_PARTS = 20

/**
 * Lessons in a store.
 *
 * Each addition is a record of its own, so that it can leave with the end of its run, whatever other processes add meanwhile;
 * who reads joins them. Where there are many of one lesson they are folded into one record, which says what is in it: neither
 * a crash in the midst of that nor another process makes an addition count twice.
 */
export class StoredLessons implements LessonStore {
  readonly #store: Pick<Store, 'records'>
  readonly #space: string
  readonly #clock: () => number
  readonly #isOfRuns: boolean
  /** What was read last, as long as nobody writes. */
  #listed: { version: number; lessons: Lesson[] } | undefined

  /**
   * @param space the folder whose runs these are of
   * @param isOfRuns whether the store is that of the runs, so that a lesson may leave with its run. Default false
   */
  constructor(store: Pick<Store, 'records'>, space: string, clock: () => number = Date.now, isOfRuns = false) {
    this.#store = store
    this.#space = space
    this.#clock = clock
    this.#isOfRuns = isOfRuns
  }

  async add(input: Lesson, from: string = randomUUID(), leaving?: RunContext['records']): Promise<Lesson> {
    const lesson = parse(Lesson, input, 'lesson')
    const id = idOf(lesson)
    const part: KeptLesson = { ...lesson, updatedAt: this.#clock() }
    if (this.#isOfRuns && leaving !== undefined) {
      // Where it cannot be written, neither can the end of the run.
      Promise.resolve(leaving<KeptLesson>(KIND, this.#space).put(`${id}/${from}`, part)).catch(() => {})
      return lesson
    }
    await this.#records().put(`${id}/${from}`, part)
    return toLesson((await this.#read()).get(id)?.lesson ?? part)
  }

  async list({ scope }: { scope?: string } = {}): Promise<Lesson[]> {
    const version = await this.#records().version()
    if (this.#listed?.version !== version) this.#listed = { version, lessons: await this.#list() }
    return this.#listed.lessons.filter((lesson) => scope === undefined || lesson.scope === scope)
  }

  async #list(): Promise<Lesson[]> {
    const newestFirst = [...(await this.#read()).values()].sort(
      (one, other) => other.lesson.updatedAt - one.lesson.updatedAt || other.seq - one.seq,
    )
    const old = newestFirst.splice(MOST_LESSONS)
    if (old.length > 0) await this.#records().remove(old.flatMap(idsOf))
    for (const each of newestFirst) if (each.parts.length > MOST_PARTS) await this.#fold(each)
    return newestFirst
      .map(({ lesson }) => toShared(toLesson(lesson)))
      .sort((one, other) => trustOf(other) - trustOf(one))
  }

  async remove(lesson: Lesson): Promise<boolean> {
    const found = (await this.#read()).get(idOf(lesson))
    return found !== undefined && (await this.#records().remove(idsOf(found))) > 0
  }

  #records(): RecordSpace<KeptLesson> {
    return this.#store.records(KIND, this.#space)
  }

  /** By id. */
  async #read(): Promise<Map<string, JoinedLesson>> {
    const { data } = await this.#records().all()
    const found = new Map<string, JoinedLesson>()
    // What additions were folded into says which of them are in it.
    const wholeFirst = data
      .filter(({ value }) => fits(Lesson, value))
      .sort((one, other) => Number(one.id.includes('/')) - Number(other.id.includes('/')))
    for (const { id: recordId, seq, value } of wholeFirst) {
      const [id = ''] = recordId.split('/')
      const isPart = recordId !== id
      const known = found.get(id)
      const isNew = known?.whole?.folded?.includes(recordId) !== true
      found.set(id, {
        id,
        lesson: known === undefined ? value : isNew ? join(known.lesson, value) : known.lesson,
        seq: Math.max(known?.seq ?? 0, seq),
        whole: isPart ? known?.whole : value,
        parts: [...(known?.parts ?? []), ...(isPart ? [recordId] : [])],
      })
    }
    return found
  }

  async #fold({ id, lesson, whole, parts }: JoinedLesson): Promise<void> {
    const records = this.#records()
    // Where another process was faster, it has removed them as well.
    if (await records.replace(id, whole, { ...lesson, folded: parts })) await records.remove(parts)
  }
}

const KIND = 'lesson'

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

const idsOf = ({ id, parts }: JoinedLesson): string[] => [id, ...parts]

const toLesson = ({ updatedAt: _, folded: __, ...lesson }: KeptLesson): Lesson => lesson

/** A lesson that many are handed: nobody can change it for the others. */
function toShared(lesson: Lesson): Lesson {
  Object.freeze(lesson.evidence)
  return Object.freeze(lesson)
}

/** A lesson that was learnt once without reading what others wrote is as good as any. */
const join = ({ trust, ...before }: KeptLesson, lesson: KeptLesson): KeptLesson => ({
  ...before,
  ...(trust === 'untrusted' && lesson.trust === 'untrusted' ? { trust } : {}),
  ...(lesson.cause === undefined ? {} : { cause: lesson.cause }),
  evidence: [...new Set([...before.evidence, ...lesson.evidence])].slice(-MOST_EVIDENCE),
  successes: before.successes + lesson.successes,
  failures: before.failures + lesson.failures,
  updatedAt: Math.max(before.updatedAt, lesson.updatedAt),
})
