/** S36: no run writes who decided what, nor the store of the runs, wherever the data folder lies, also where a person says yes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { SvcConfig } from '@svc/core'
import Database from 'libsql'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CreateRuntimeOptions, createRuntime, readAuditLog } from '../../src/index.ts'
import { folderOf } from '../fixtures/folder-of.ts'
import { modelOf } from '../fixtures/runs.ts'
import { kindsHere } from './s30-attack.ts'

const test = suite('S36 the audit log')

const [kind] = await kindsHere()
/** What stands in no call, so that the store holds it only where a program wrote there. */
const FORGED = 'S36-FORGED-BY-A-PROGRAM'
const rot13 = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 52) % 26) + 65))

/** Where data is kept, and which of that no run may write. Paths are of the workspace. */
const PLACES: Record<
  string,
  (workspace: string) => { config?: SvcConfig; runtime: CreateRuntimeOptions; dir: string; db: string }
> = {
  'SVC_DATA_DIR in the workspace': (workspace) => ({
    runtime: { persist: true, env: { SVC_DATA_DIR: join(workspace, 'state') } },
    dir: 'state',
    db: 'state/svc.db',
  }),
  'a folder that a program names': (workspace) => ({
    runtime: { persist: { dir: join(workspace, 'data') }, env: {} },
    dir: 'data',
    db: 'data/svc.db',
  }),
  'the workspace itself': (workspace) => ({
    runtime: { persist: { dir: workspace }, env: {} },
    dir: '.',
    db: 'svc.db',
  }),
  'a database in the workspace, and the log elsewhere in it': (workspace) => ({
    config: { store: { url: `sqlite:${join(workspace, 'db', 'runs.db')}` } },
    runtime: { persist: true, env: { SVC_DATA_DIR: join(workspace, 'state') } },
    dir: 'state',
    db: 'db/runs.db',
  }),
  'a database right in the workspace': (workspace) => ({
    config: { store: { url: `sqlite:${join(workspace, 'runs.db')}` } },
    runtime: { persist: true, env: { SVC_DATA_DIR: join(workspace, 'state') } },
    dir: 'state',
    db: 'runs.db',
  }),
}

/** Takes what svc itself keeps of the files that the program made, for undo, out of a database. */
function dropKept(db: string): void {
  const database = new Database(db)
  database.exec('DELETE FROM run_payloads; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** What became of calls that a person approves, each. */
async function approved(place: ReturnType<(typeof PLACES)[string]>, workspace: string, calls: [string, object][]) {
  const model = modelOf((_, index) => {
    const [tool, args = {}] = calls[index] ?? []
    return tool === undefined ? 'Done.' : { toolCalls: [{ tool, args }] }
  })
  const config: SvcConfig = { model: 'scripted', plugins: [model], components: { inspect: false, reflect: false } }
  const runtime = await createRuntime({ ...config, ...place.config }, { workspace, ...place.runtime })
  const ends: string[] = []
  runtime.onEvent((event) => {
    if (event.type === 'approval.requested') void runtime.approvals.resolve(event.data.id, { decision: 'approve' })
    else if (event.type === 'tool.completed') ends.push('ok')
    else if (event.type === 'tool.failed' || event.type === 'tool.denied') ends.push(event.data.error?.code ?? 'denied')
  })
  const { id } = await runtime.runs.create({ task: 'x', topology: 'SINGLE', approval: 'wait', tokenBudget: 500_000 })
  for await (const _ of runtime.runs.events(id)) {
    // to the end
  }
  await runtime.close()
  return ends
}

for (const [what, placeOf] of Object.entries(PLACES)) {
  test(`${what}: no tool writes there, by any name`, async () => {
    const workspace = folderOf({ 'notes.md': 'notes' })
    const place = placeOf(workspace)
    const { dir, db } = place
    mkdirSync(join(workspace, dir), { recursive: true })
    symlinkSync(join(workspace, dir), join(workspace, 'link'))
    const log = join(dir, 'audit', 'audit.jsonl')
    const content = '{"time":"2026","what":"trust.given","who":"me","from":"x"}\n'
    // A call that is approved first: the log is there by then.
    const ends = await approved(place, workspace, [
      ['write_file', { path: 'notes.md', content: 'new', mode: 'overwrite' }],
      ['write_file', { path: log, content, mode: 'append' }],
      ['write_file', { path: join(workspace, log), content, mode: 'overwrite' }],
      ['write_file', { path: 'link/audit/audit.jsonl', content, mode: 'append' }],
      ['write_file', { path: join(dir, 'audit', 'audit-20260101T000000000Z-1.jsonl'), content }],
      ['write_file', { path: log.toUpperCase(), content }],
      ['edit_file', { path: log, edits: [{ find: '"what"', replace: '"was"', all: true }] }],
      ['write_file', { path: 'other.md', content: 'mine' }],
    ])
    assert.is(ends.at(0), 'ok')
    assert.is(ends.at(-1), 'ok', 'others are written')
    assert.ok(
      ends.slice(1, -1).every((end) => end !== 'ok'),
      ends.join(),
    )
    const lines = await entriesOf(join(workspace, dir, 'audit'))
    assert.equal([...new Set(lines.map((line) => line?.what))], ['approval.answered'])
    assert.ok(existsSync(join(workspace, db)))
  })

  if (kind === undefined) continue
  test(`${what}: no program writes there`, async () => {
    const workspace = folderOf({ 'notes.md': 'notes' })
    const place = placeOf(workspace)
    const { dir, db } = place
    const hidden = `$(echo ${rot13(FORGED)} | tr A-Z N-ZA-M)`
    const audit = `${dir}/audit`
    const script = [
      `for f in ${audit}/audit.jsonl ${audit}/audit-20260101T000000000Z-1.jsonl ${db} ${db}-wal ${db}-journal; do`,
      `  chmod 777 $f; echo "${hidden}" >> $f; sed -i 's/local/${hidden}/' $f; ln $f ./hard; echo "${hidden}" >> ./hard; rm -f hard`,
      'done',
      `mv ${audit} ./moved; rm -rf ${audit}; mkdir -p ${audit}; echo "${hidden}" > ${audit}/audit.jsonl`,
      ...(dir === '.'
        ? []
        : [`mv ${dir} ./moved2; rm -rf ${dir}; mkdir -p ${audit}; echo "${hidden}" > ${audit}/audit.jsonl`]),
      'echo mine > other.md',
    ].join('\n')
    const ends = await approved(place, workspace, [
      ['write_file', { path: 'notes.md', content: 'new', mode: 'overwrite' }],
      ['run_command', { command: ['sh', '-c', script] }],
    ])
    assert.equal(ends, ['ok', 'ok'])
    assert.is(readFileSync(join(workspace, 'other.md'), 'utf8'), 'mine\n')
    const lines = await entriesOf(join(workspace, audit))
    assert.equal(
      lines.map((line) => line?.what),
      ['approval.answered', 'approval.answered'],
    )
    dropKept(join(workspace, db))
    for (const name of readdirSync(workspace, { recursive: true, withFileTypes: true })) {
      const isSetAside = name.name.includes('.set-aside-')
      if (name.isFile() && !isSetAside)
        assert.not.match(readFileSync(join(name.parentPath, name.name), 'latin1'), FORGED, name.name)
    }
  })
}

async function entriesOf(dir: string) {
  const lines = []
  for await (const line of readAuditLog(dir)) lines.push(line)
  return lines
}

test.run()
