import { createHash } from 'node:crypto'
import { fits, parse } from '@svc/core'
import { trustOf } from '@svc/core/components'
import { Lesson } from '@svc/core/schema'
import { seal, unseal } from '../seal.ts'
import { bytesOf, type Sqlite } from '../sqlite/file/sqlite.ts'

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

const MOST_LESSONS = 2000
const MOST_EVIDENCE = 20

const isLesson = (value: unknown): value is Lesson => fits(Lesson, value)

export class StoredLessons implements LessonStore {
  readonly #open: () => Sqlite
  readonly #space: string
  readonly #clock: () => number

  /** @param space the folder whose runs these are of */
  constructor(open: () => Sqlite, space = '*', clock: () => number = Date.now) {
    this.#open = open
    this.#space = space
    this.#clock = clock
  }

  async add(input: Lesson): Promise<Lesson> {
    const lesson = parse(Lesson, input, 'lesson')
    const id = this.#idOf(lesson)
    const db = this.#open()
    return db.transaction(() => {
      const row = db.get(`SELECT ${bytesOf('body')}, crc FROM lessons WHERE id = ?`, [id])
      const before = row === undefined ? undefined : unseal(row, isLesson)
      const now = before === undefined ? lesson : join(before, lesson)
      const { body, crc } = seal(now)
      db.run(
        `INSERT INTO lessons (id, space, updated_at, body, crc) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, body = excluded.body, crc = excluded.crc`,
        [id, this.#space, this.#clock(), body, crc],
      )
      db.run(
        'DELETE FROM lessons WHERE seq IN (SELECT seq FROM lessons ORDER BY updated_at DESC, seq DESC LIMIT -1 OFFSET ?)',
        [MOST_LESSONS],
      )
      return now
    })
  }

  async list({ scope }: { scope?: string } = {}): Promise<Lesson[]> {
    const rows = this.#open().all(
      `SELECT ${bytesOf('body')}, crc FROM lessons WHERE space = ? ORDER BY updated_at DESC, seq DESC`,
      [this.#space],
    )
    return inOrder(
      rows.flatMap((row) => unseal(row, isLesson) ?? []),
      scope,
    )
  }

  async remove(lesson: Lesson): Promise<boolean> {
    return this.#open().run('DELETE FROM lessons WHERE id = ?', [this.#idOf(lesson)]) > 0
  }

  /** Ids of the space that all share are those of the file's first version. */
  #idOf(lesson: Lesson): string {
    return this.#space === '*'
      ? idOf(lesson)
      : createHash('sha256')
          .update(`${this.#space}\n${idOf(lesson)}`)
          .digest('hex')
  }
}

/** Lessons that last as long as the process. */
export class InMemoryLessons implements LessonStore {
  readonly #lessons = new Map<string, Lesson>()

  async add(input: Lesson): Promise<Lesson> {
    const lesson = parse(Lesson, input, 'lesson')
    const id = idOf(lesson)
    const before = this.#lessons.get(id)
    const now = before === undefined ? lesson : join(before, lesson)
    this.#lessons.delete(id)
    this.#lessons.set(id, now)
    const [oldest] = this.#lessons.keys()
    if (this.#lessons.size > MOST_LESSONS && oldest !== undefined) this.#lessons.delete(oldest)
    return structuredClone(now)
  }

  async list({ scope }: { scope?: string } = {}): Promise<Lesson[]> {
    return inOrder(structuredClone([...this.#lessons.values()].reverse()), scope)
  }

  async remove(lesson: Lesson): Promise<boolean> {
    return this.#lessons.delete(idOf(lesson))
  }
}

/** Two lessons of one trigger, advice and scope are one. */
const idOf = ({ trigger, advice, scope = '' }: Lesson): string =>
  createHash('sha256')
    .update(JSON.stringify([scope, trigger, advice]))
    .digest('hex')

const inOrder = (newestFirst: readonly Lesson[], scope: string | undefined): Lesson[] =>
  newestFirst.filter((lesson) => scope === undefined || lesson.scope === scope).sort((a, b) => trustOf(b) - trustOf(a))

/** A lesson that was learnt once without reading what others wrote is as good as any. */
const join = ({ trust, ...before }: Lesson, lesson: Lesson): Lesson => ({
  ...before,
  ...(trust === 'untrusted' && lesson.trust === 'untrusted' ? { trust } : {}),
  ...(lesson.cause === undefined ? {} : { cause: lesson.cause }),
  evidence: [...new Set([...before.evidence, ...lesson.evidence])].slice(-MOST_EVIDENCE),
  successes: before.successes + lesson.successes,
  failures: before.failures + lesson.failures,
})
