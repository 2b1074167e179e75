import { figuresOf, isTerminalEvent, type RunRow, RunView } from '@svc/core'
import { toAnswerWords } from '@svc/core/text'
import { isCorrupt } from '../../damage.ts'
import { fromKey } from '../../keys.ts'
import type { Database } from '../database.ts'
import type { RunReader } from './run-reader.ts'
import { SELECT_RUNS } from './run-reader.ts'
import { addModels, noParts } from './run-writer.ts'

/** Runs that are read together. */
const CHUNK = 50

/**
 * Writes down what runs are found by that ended under an earlier svc, be it that it is still at work beside this one: their
 * verdict, what they took of which model, and the words of what they answered.
 *
 * @param isClosing whether to stop
 */
export async function findOld(db: Database, reader: RunReader, isClosing: () => boolean): Promise<void> {
  for (let after = 0; !isClosing(); ) {
    const rows = await db.query({
      text: `${SELECT_RUNS} WHERE r.ended_at IS NOT NULL AND r.is_found IS NULL AND r.seq > $1 ORDER BY r.seq LIMIT ${CHUNK}`,
      values: [after],
    })
    if (rows.length === 0) return
    after = Number(rows.at(-1)?.seq)
    const runs = await reader.readForList(rows)
    const parts = noParts()
    const found = await Promise.all(
      runs.map(async (run, index) => {
        const seq = Number(rows[index]?.seq)
        const { models, words } = await readLog(reader, fromKey(rows[index]?.id))
        addModels(seq, { models, create: run.create }, parts)
        return { seq, verdict: figuresOf(run).verdict ?? null, words }
      }),
    )
    // The first one writes: the words are added to those of the task.
    await db.query({
      text: `WITH i AS (SELECT * FROM json_to_recordset($1::json) AS i(seq bigint, verdict text, words text)),
        fenced AS (UPDATE runs AS r SET verdict = i.verdict, is_found = true FROM i
          WHERE r.seq = i.seq AND r.is_found IS NULL RETURNING r.seq, i.words),
        models AS (INSERT INTO run_models (model, run, tokens, cost)
          SELECT DISTINCT ON (m.model, m.run) m.model, m.run, m.tokens, m.cost
          FROM json_to_recordset($2::json) AS m(run bigint, nth integer, model text, tokens bigint, cost double precision)
          JOIN fenced ON fenced.seq = m.run ORDER BY m.model, m.run, m.nth DESC ON CONFLICT DO NOTHING)
        UPDATE run_requests AS q SET words = q.words || fenced.words FROM fenced WHERE q.run = fenced.seq AND fenced.words <> ''`,
      values: [JSON.stringify(found), JSON.stringify(parts.models)],
    })
  }
}

/** What the log of a run says of models, and the words of what it answered; nothing where it is damaged. */
async function readLog(reader: RunReader, id: RunRow['id']): Promise<{ models: RunView['models']; words: string }> {
  try {
    const events = await reader.events(id, { types: TYPES })
    const last = events.at(-1)
    const words = last !== undefined && isTerminalEvent(last) ? toAnswerWords(last.data.result) : ''
    return { models: new RunView(events).models, words }
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown
    return { models: [], words: '' }
  }
}

const TYPES = [
  'model.started',
  'model.retrying',
  'model.completed',
  'model.failed',
  'run.completed',
  'run.incomplete',
  'run.failed',
  'run.cancelled',
] as const
