/** A record of a run's log that somebody changed on the disk. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteStore } from '@svc/plugins'
import { fromBody, toBody } from '../../../plugins/src/stores/sqlite/body.ts'
import { openServer } from '../fixtures/open-server.ts'

interface Row {
  [column: string]: string | number | Buffer | null
}

export interface Database {
  prepare(sql: string): { all(...values: unknown[]): Row[]; run(...values: unknown[]): unknown }
  close(): void
}

export function openDatabase(file: string): Database {
  const Libsql = createRequire(new URL('../../../plugins/package.json', import.meta.url))('libsql') as new (
    path: string,
  ) => Database
  return new Libsql(file)
}

/** Puts other words into each record that holds these; the checksum is left as it was. */
function changeRecords(file: string, from: string, to: string): number {
  const database = openDatabase(file)
  let changed = 0
  for (const row of database
    .prepare('SELECT id, CAST(body AS BLOB) AS body, crc, typeof(body) AS type FROM run_log')
    .all()) {
    const record = fromBody(row, 'run')
    if (!record.includes(from)) continue
    const { body } = toBody(record.replaceAll(from, to))
    database.prepare('UPDATE run_log SET body = ? WHERE id = ?').run(body, row.id)
    changed++
  }
  database.close()
  return changed
}

/** Whether the events of a run that was changed on the disk are served with the change. */
export async function attack(): Promise<{ changed: boolean; status: number; isServed: boolean }> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-s25-attack-'))
  const file = join(dir, 'runs.db')
  const open = () => openServer({ runtime: { store: new SqliteStore({ file }) } })
  const first = await open()
  const { json } = await first.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is 6 times 7?' } })
  await first.close()
  const changed = changeRecords(file, '6 times 7', '6 times 8')
  const second = await open()
  try {
    const { status, text } = await second.ask('GET', `/v1/runs/${json.id}/events`)
    return { changed: changed > 0, status, isServed: text.includes('6 times 8') }
  } finally {
    await second.close()
    rmSync(dir, { recursive: true })
  }
}
