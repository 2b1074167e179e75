import { createHash } from 'node:crypto'
import { textOf, toKey } from '../../../keys.ts'
import { seal, wholeText } from '../../../seal.ts'
import { bytesOf, type Sqlite } from '../sqlite.ts'

/** Lessons as version 8 kept them, and as far as their ids depend on them. */
interface OldLesson {
  trigger: string
  advice: string
  scope?: string
}

/**
 * Memories, lessons and outcomes as version 9 has them: records of a kind in a space, where they had tables of their own.
 * What is damaged stays so, and is left out by who reads it; a lesson that is has no id any more, and is left behind.
 */
export function toSpaceRecords(db: Sqlite): void {
  db.exec(`
    ALTER TABLE records RENAME TO old_records;
    DROP INDEX records_by_kind;
    CREATE TABLE records (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      space TEXT NOT NULL DEFAULT '',
      id TEXT NOT NULL,
      body TEXT NOT NULL,
      crc INTEGER NOT NULL,
      UNIQUE (kind, space, id)
    );
    CREATE INDEX records_by_space ON records (kind, space, seq);
    CREATE TABLE record_versions (kind TEXT, space TEXT, version INTEGER NOT NULL, PRIMARY KEY (kind, space)) WITHOUT ROWID;
    INSERT INTO records (kind, id, body, crc)
      SELECT iif(kind = 'memory', ':memory', kind), id, body, crc FROM old_records ORDER BY seq;
    INSERT INTO records (kind, space, id, body, crc) SELECT ':memory', space, id, body, crc FROM memories ORDER BY seq;
    INSERT INTO records (kind, space, id, body, crc)
      SELECT ':outcome', space, coalesce(run_id, 'outcome_' || seq), body, crc FROM outcomes ORDER BY seq;`)
  moveLessons(db)
  markConsolidated(db)
  for (const { space } of db.all(`SELECT DISTINCT ${bytesOf('space')} FROM records`)) {
    const old = textOf(space)
    if (toKey(old) !== old) db.run('UPDATE records SET space = ? WHERE space = ?', [toKey(old), old])
  }
  db.exec('DROP TABLE old_records; DROP TABLE memories; DROP TABLE revisions; DROP TABLE outcomes; DROP TABLE lessons')
}

/** Their ids depended on their space, and when they were last changed stood beside them. */
function moveLessons(db: Sqlite): void {
  const rows = db.all(`SELECT ${bytesOf('space')}, updated_at, ${bytesOf('body')}, crc FROM lessons ORDER BY seq`)
  for (const row of rows) {
    const whole = wholeText(row)
    if (whole === undefined) continue
    const lesson = JSON.parse(whole) as OldLesson
    const { trigger, advice, scope = '' } = lesson
    const id = createHash('sha256')
      .update(JSON.stringify([scope, trigger, advice]))
      .digest('hex')
    const { body, crc } = seal({ ...lesson, updatedAt: Number(row.updated_at) })
    db.run("INSERT OR IGNORE INTO records (kind, space, id, body, crc) VALUES (':lesson', ?, ?, ?, ?)", [
      textOf(row.space),
      id,
      body,
      crc,
    ])
  }
}

/** How far consolidations of each space had come. */
function markConsolidated(db: Sqlite): void {
  for (const { space, consolidated } of db.all(`SELECT ${bytesOf('space')}, consolidated FROM revisions`)) {
    const found = db.get(
      `SELECT max(r.seq) AS seq FROM memories AS m JOIN records AS r ON r.kind = ':memory' AND r.space = m.space AND r.id = m.id
       WHERE m.seq <= ?`,
      [Number(consolidated)],
    )
    if (typeof found?.seq !== 'number') continue
    const { body, crc } = seal({ seq: found.seq })
    db.run("INSERT INTO records (kind, id, body, crc) VALUES (':memory-progress', ?, ?, ?)", [textOf(space), body, crc])
  }
}
