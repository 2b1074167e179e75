import { setImmediate } from 'node:timers/promises'
import type { Conditions } from '../queries/run-filters.ts'
import { isBusy, isFull, type Sqlite } from './file/sqlite.ts'
import { RENEW_WORD_TABLES } from './word-tables.ts'

/** Runs that are indexed at once, and letters after which it is enough. */
const PIECE = { runs: 64, letters: 32_768 }
/** Between two pieces. */
const PAUSE_MS = 20
/** So many new runs are left to be read one by one before they are indexed. */
const BEHIND = 256
/** Runs that the index lists at first, and then: each question reads it from its end again. */
const [LISTED_FIRST, LISTED_THEN] = [1_024, 4_096]
/** Runs whose words are read without a pause. */
const READ_AT_ONCE = 512
/** Letters of what the index is made of. */
const GRAM = 3

/** With what makes the last letters begin a piece of three too, so that shorter texts are found by how pieces begin. */
const INDEXED = `words || char(10, 10)`
const REACHED = '(SELECT run FROM run_indexed)'

/**
 * The index of the words of runs. It is written behind them, a few at a time, by whichever process has made many or finds that
 * many are missing: who searches reads those one by one. Where it cannot be read it is made anew, once in the life of a process.
 */
export class WordIndex {
  readonly #db: Sqlite
  #timer: NodeJS.Timeout | undefined
  #behind = 0
  #wasRenewed = false

  constructor(db: Sqlite) {
    this.#db = db
    try {
      this.#behind = Number(db.get(`SELECT coalesce(max(seq), 0) - ${REACHED} AS behind FROM runs`)?.behind)
    } catch (thrown) {
      this.#renewAfter(thrown)
    }
    this.#goOn()
  }

  /** Notes that a run was made. */
  grow(): void {
    this.#behind++
    this.#goOn()
  }

  /** Takes a run that is to be removed out of it. Inside a transaction. */
  remove(run: number): void {
    const db = this.#db
    db.exec('SAVEPOINT before_words')
    try {
      db.run(
        `INSERT INTO run_grams (run_grams, rowid, words)
         SELECT 'delete', run, ${INDEXED} FROM run_requests WHERE run = ? AND run <= ${REACHED}`,
        [run],
      )
      db.exec('SAVEPOINT after_words') // has FTS5 write it now, and not with all else of the transaction
    } catch (thrown) {
      if (isBusy(thrown) || isFull(thrown)) throw thrown
      db.exec('ROLLBACK TO before_words')
      this.#renew(() => db.exec(RENEW_WORD_TABLES))
    }
    db.exec('RELEASE before_words')
  }

  /** Adds words to those of a run. Inside a transaction. */
  add(run: number, words: string): void {
    if (words === '') return
    const db = this.#db
    this.remove(run)
    db.run('UPDATE run_requests SET words = words || ? WHERE run = ?', [words, run])
    try {
      db.run(
        `INSERT INTO run_grams (rowid, words) SELECT run, ${INDEXED} FROM run_requests WHERE run = ? AND run <= ${REACHED}`,
        [run],
      )
    } catch (thrown) {
      if (isBusy(thrown) || isFull(thrown)) throw thrown
      this.#renew(() => db.exec(RENEW_WORD_TABLES))
    }
  }

  /**
   * Finds runs that may say a text; where it cannot be read, among all.
   *
   * @param find with what it asks of `runs AS r`
   */
  search<T>(words: string, find: (asked: Conditions<string>) => T): Promise<Awaited<T>> {
    const { list, values } = mayBeSaidIn(words)
    return this.#readOr(
      () => find({ conditions: [`r.seq IN (${list})`], values }),
      () => find({ conditions: [], values: [] }),
    )
  }

  /**
   * Finds runs that may say a text in the order of a list, as far as they are wanted; where it cannot be read, among all.
   *
   * @param after the run behind which the list begins
   * @param find with what to ask of `runs AS r`, for some after the others: many may say the pieces and few the text
   */
  searchInOrder<T>(
    words: string,
    { order, after }: { order: 'asc' | 'desc'; after: number | undefined },
    find: (some: AsyncIterable<Conditions<string>>) => Promise<T>,
  ): Promise<Awaited<T>> {
    return this.#readOr(
      () => find(someOf(this.#db, words, order, after)),
      () => find(EVERY),
    )
  }

  async #readOr<T>(read: () => T, readAll: () => T): Promise<Awaited<T>> {
    try {
      return await read()
    } catch (thrown) {
      const found = await readAll()
      this.#renewAfter(thrown)
      return found
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#behind = Number.NEGATIVE_INFINITY
  }

  #goOn(): void {
    if (this.#timer !== undefined || this.#behind < BEHIND) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      try {
        this.#behind = this.#db.transaction(() => indexSome(this.#db)) ? BEHIND : 0
      } catch (thrown) {
        // What cannot be written now is found all the same, and is tried again when as many more have come.
        if (!isBusy(thrown)) this.#behind = 0
        this.#renewAfter(thrown)
      }
      this.#goOn()
    }, PAUSE_MS).unref()
  }

  #renewAfter(thrown: unknown): void {
    if (isBusy(thrown) || isFull(thrown)) return
    this.#renew(() => this.#db.transaction(() => this.#db.exec(RENEW_WORD_TABLES)))
  }

  #renew(work: () => void): void {
    if (this.#wasRenewed) return
    this.#wasRenewed = true
    try {
      work()
      this.#behind = BEHIND
      this.#goOn()
    } catch {
      // Searches read all, and a process to come tries again.
    }
  }
}

/** @returns whether there may be more */
function indexSome(db: Sqlite): boolean {
  const next = db.all(
    `SELECT run, length(words) AS letters FROM run_requests WHERE run > ${REACHED} ORDER BY run LIMIT ${PIECE.runs}`,
  )
  let [letters, last] = [0, 0]
  for (const row of next) {
    if (letters >= PIECE.letters) break
    letters += Number(row.letters)
    last = Number(row.run)
  }
  if (last === 0) return false
  db.run(
    `INSERT INTO run_grams (rowid, words) SELECT run, ${INDEXED} FROM run_requests WHERE run > ${REACHED} AND run <= ?`,
    [last],
  )
  db.run('UPDATE run_indexed SET run = ?', [last])
  return letters >= PIECE.letters || next.length === PIECE.runs
}

const EVERY: AsyncIterable<Conditions<string>> = {
  async *[Symbol.asyncIterator]() {
    yield { conditions: [], values: [] }
  },
}

/** Runs that may say a text, in order: what asks for some of them, and for more after a pause. */
async function* someOf(
  db: Sqlite,
  words: string,
  order: 'asc' | 'desc',
  after: number | undefined,
): AsyncGenerator<Conditions<string>> {
  const sign = order === 'desc' ? '<' : '>'
  const part = (from: string): string => `SELECT * FROM (${from} ORDER BY run ${order} LIMIT ?)`
  const [indexed, ...asked] = indexedWith([...words])
  const sql = `SELECT json_group_array(run) AS runs FROM (
    ${part(`SELECT run FROM run_requests WHERE run > ${REACHED} AND run ${sign} ?`)} UNION ALL
    ${part(`SELECT run FROM (${indexed}) WHERE run ${sign} ?`)} ORDER BY run ${order} LIMIT ?)`
  let start = after ?? (order === 'desc' ? Number.MAX_SAFE_INTEGER : 0)
  for (let most = LISTED_FIRST; ; most = LISTED_THEN) {
    const runs: number[] = JSON.parse(String(db.get(sql, [start, most, ...asked, start, most, most])?.runs))
    if (most === LISTED_THEN) await setImmediate()
    for (let from = 0; from < runs.length; from += READ_AT_ONCE) {
      const some = JSON.stringify(runs.slice(from, from + READ_AT_ONCE))
      yield { conditions: ['r.seq IN (SELECT value FROM json_each(?))'], values: [some] }
      await setImmediate()
    }
    if (runs.length < most) return
    start = runs.at(-1) ?? start
  }
}

/** SQL that lists the runs that may say a text: by the index, and where they are not in it by their words. */
function mayBeSaidIn(words: string): { list: string; values: string[] } {
  const [indexed, ...values] = indexedWith([...words])
  return {
    list: `SELECT run FROM run_requests WHERE run > ${REACHED} AND instr(words, ?) > 0 UNION ALL ${indexed}`,
    values: [words, ...values],
  }
}

function indexedWith(letters: readonly string[]): [list: string, ...values: string[]] {
  if (letters.length < GRAM) {
    const begin = letters.join('').replace(/[\ufffe\uffff]/g, '\ufffd') // as SQLite reads them
    const list = 'SELECT DISTINCT doc AS run FROM run_grams_said WHERE term BETWEEN ? AND ? || char(1114111, 1114111)'
    return [list, begin, begin]
  }
  // Every third piece, and the last, cover the text.
  const last = letters.length - GRAM
  const begins = letters
    .map((_, index) => index)
    .filter((index) => index === last || (index < last && index % GRAM === 0))
  const grams = new Set(begins.map((from) => letters.slice(from, from + GRAM).join('')))
  const asked = [...grams].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ')
  return ['SELECT rowid AS run FROM run_grams WHERE run_grams MATCH ?', asked]
}
