/** Each store keeps what undo needs, and no longer than the run. */
import { join } from 'node:path'
import type { Plugin, SvcConfig } from '@svc/core'
import * as assert from 'uvu/assert'
import { jsonlStore } from '../../../examples/own-parts/src/jsonl/jsonl-store.ts'
import { folderOf } from '../fixtures/folder-of.ts'
import { postgresSuite } from '../fixtures/postgres-suite.ts'
import { createUndoable, edit, sh, treeOf, write } from './undoable.ts'

const { test, withServer, server } = await postgresSuite('undo over each store')

const BIG = 'a line of some length\n'.repeat(250_000)
const FILES = {
  'big.txt': BIG,
  'small.txt': 'one\r\n',
  'image.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255, 254]),
  'wide.txt': Buffer.from('\uFEFFtwo\r\n', 'utf16le'),
  'latin.txt': Buffer.from('caf\u00e9\n', 'latin1'),
}

async function check(config: SvcConfig, plugins: readonly Plugin[] = []): Promise<void> {
  const dir = folderOf()
  const { runtime, run, workspace } = await createUndoable({
    files: FILES,
    config,
    plugins,
    persist: true,
    env: { SVC_DATA_DIR: dir },
  })
  const before = treeOf(workspace)
  const { id, outcomes } = await run([
    [edit('wide.txt', 'two', '2'), edit('latin.txt', 'caf', 'Caf'), write('image.png', 'no image')],
    [edit('small.txt', 'one', '1'), sh('rm big.txt')],
  ])
  assert.equal(
    outcomes.map(({ code }) => code),
    Array(5).fill('ok'),
    JSON.stringify(outcomes),
  )
  const { done, left } = await runtime.runs.undo(id)
  assert.is(done, true)
  assert.equal(left, [])
  assert.equal(treeOf(workspace), before)
  await runtime.runs.delete(id)
  await runtime.close()
}

const policy = { policy: { shell: true, rules: [{ tool: 'shell', decision: 'allow' as const }] } }

test('in memory', () => check({ ...policy, store: { url: 'memory:' } }))
test('in SQLite', () => check(policy))
test('in the store of the example', () =>
  check({ ...policy, store: { url: `jsonl:${join(folderOf(), 'runs.jsonl')}` } }, [jsonlStore()]))
withServer('in PostgreSQL', () => check({ ...policy, store: { url: server.newDatabase() } }))

test.run()
