import { createHash } from 'node:crypto'
import { fits, Lesson, parse } from '@svc/core'
import { seal, unseal } from './seal.ts'
import type { Sqlite } from './sqlite.ts'

/** What runs taught, with how often it helped. */
export interface LessonShelf {
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

export class StoredLessons implements LessonShelf {
  readonly #open: () => Sqlite
  readonly #clock: () => number

  constructor(open: () => Sqlite, clock: () => number = Date.now) {
    this.#open = open
    this.#clock = clock
  }

  async add(input: Lesson): Promise<Lesson> {
    const lesson = parse(Lesson, input, 'lesson')
    const id = idOf(lesson)
    const db = this.#open()
    return db.transaction(() => {
      const row = db.get('SELECT body, crc FROM lessons WHERE id = ?', [id])
      const before = row === undefined ? undefined : unseal(row, isLesson)
      const now = before === undefined ? lesson : join(before, lesson)
      const { body, crc } = seal(now)
      db.run(
        `INSERT INTO lessons (id, updated_at, body, crc) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, body = excluded.body, crc = excluded.crc`,
        [id, this.#clock(), body, crc],
      )
      db.run(
        'DELETE FROM lessons WHERE seq IN (SELECT seq FROM lessons ORDER BY updated_at DESC, seq DESC LIMIT -1 OFFSET ?)',
        [MOST_LESSONS],
      )
      return now
    })
  }

  async list({ scope }: { scope?: string } = {}): Promise<Lesson[]> {
    const rows = this.#open().all('SELECT body, crc FROM lessons ORDER BY updated_at DESC, seq DESC')
    return rows
      .flatMap((row) => unseal(row, isLesson) ?? [])
      .filter((lesson) => scope === undefined || lesson.scope === scope)
      .sort((a, b) => trustOf(b) - trustOf(a))
  }

  async remove(lesson: Lesson): Promise<boolean> {
    return this.#open().run('DELETE FROM lessons WHERE id = ?', [idOf(lesson)]) > 0
  }
}

/** Two lessons of one trigger, advice and scope are one. */
const idOf = ({ trigger, advice, scope = '' }: Lesson): string =>
  createHash('sha256')
    .update(JSON.stringify([scope, trigger, advice]))
    .digest('hex')

/** Share of successes, with one of each beforehand (Laplace's rule of succession). */
const trustOf = ({ successes, failures }: Lesson): number => (successes + 1) / (successes + failures + 2)

const join = (before: Lesson, lesson: Lesson): Lesson => ({
  ...before,
  ...(lesson.cause === undefined ? {} : { cause: lesson.cause }),
  evidence: [...new Set([...before.evidence, ...lesson.evidence])].slice(-MOST_EVIDENCE),
  successes: before.successes + lesson.successes,
  failures: before.failures + lesson.failures,
})
