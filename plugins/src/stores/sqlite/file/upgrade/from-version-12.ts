import { figuresOf, isTerminalEvent, type RunEvent, type RunRow, RunView } from '@svc/core'
import { toAnswerWords } from '@svc/core/text'
import { isCorrupt } from '../../../damage.ts'
import { textOf, toKey } from '../../../keys.ts'
import { eventsOf, type LogRecord } from '../../../run-record.ts'
import { wholeText } from '../../../seal.ts'
import { fromBody } from '../../body.ts'
import { RENEW_WORD_TABLES } from '../../word-tables.ts'
import { bytesOf, type Row, type Sqlite } from '../sqlite.ts'

/** Runs that are read together. */
const CHUNK = 200

/**
 * Runs are found by their verdict, by the models that they asked for and used, and by what they answered. Of a damaged run nothing
 * of that is known.
 */
export function toFoundRuns(db: Sqlite): void {
  db.exec(`
    ALTER TABLE runs ADD COLUMN verdict TEXT;
    CREATE INDEX runs_by_verdict ON runs (verdict) WHERE verdict IS NOT NULL;
    CREATE TABLE run_models (
      model TEXT, run INTEGER, tokens INTEGER NOT NULL, cost REAL, PRIMARY KEY (model, run)
    ) WITHOUT ROWID;
    CREATE INDEX run_models_by_run ON run_models (run);`)
  for (let after = 0; ; ) {
    const rows = db.all(
      `SELECT r.seq, ${bytesOf('r.status', 'status')}, ${bytesOf('r.state', 'state')}, ${bytesOf('q.body', 'request')}, q.crc
       FROM runs AS r LEFT JOIN run_requests AS q ON q.run = r.seq WHERE r.seq > ? ORDER BY r.seq LIMIT ${CHUNK}`,
      [after],
    )
    for (const row of rows) findRun(db, row)
    if (rows.length < CHUNK) break
    after = Number(rows.at(-1)?.seq)
  }
  // Their words are indexed anew, behind the runs.
  db.exec(RENEW_WORD_TABLES)
}

function findRun(db: Sqlite, { seq, status, state, request, crc }: Row): void {
  const run = Number(seq)
  const { verdict } = parsed(textOf(state)) as Pick<RunRow, 'verdict'>
  const { verdict: shown } = figuresOf({ status: textOf(status) as RunRow['status'], verdict })
  if (shown !== undefined) db.run('UPDATE runs SET verdict = ? WHERE seq = ?', [shown, run])
  const { models, words } = readLog(db, run)
  const { model } = (parsed(wholeText({ body: request, crc }) ?? '').create ?? {}) as { model?: unknown }
  const put = 'INSERT OR IGNORE INTO run_models (model, run, tokens, cost) VALUES (?, ?, ?, ?)'
  for (const use of models) db.run(put, [toKey(use.model), run, use.inputTokens + use.outputTokens, use.costUsd])
  if (typeof model === 'string') db.run(put, [toKey(model), run, 0, 0])
  if (words !== '') db.run('UPDATE run_requests SET words = words || ? WHERE run = ?', [words, run])
}

/** What the log of a run says of models, and the words of what it answered. */
function readLog(db: Sqlite, run: number): { models: RunView['models']; words: string } {
  const view = new RunView()
  let words = ''
  try {
    const rows = db.all(
      `SELECT last_seq, crc, typeof(body) AS type, ${bytesOf('body')} FROM run_log WHERE run = ? ORDER BY last_seq, number`,
      [run],
    )
    for (const row of rows) {
      const text = fromBody(row, '')
      if (!/"type":"(?:model\.|run\.(?:completed|incomplete|failed|cancelled)")/.test(text)) continue
      for (const event of eventsOf(JSON.parse(text) as LogRecord, Number(row.last_seq), '')) {
        if (isTerminalEvent(event)) words = toAnswerWords(event.data.result)
        else if (isOfModel(event)) view.apply(event)
      }
    }
  } catch (thrown) {
    if (!isCorrupt(thrown) && !(thrown instanceof SyntaxError)) throw thrown
  }
  return { models: view.models, words }
}

const isOfModel = ({ type }: RunEvent): boolean => type.startsWith('model.')

function parsed(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json)
  } catch {
    return {} // it is damaged, and stays so
  }
}
