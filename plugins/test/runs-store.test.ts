/** The embedded store against the contract of stores: two handles in one process, and two processes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkStore } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SqliteStore } from '../src/stores/index.ts'
import { openRemote } from './fixtures/remote-store.ts'

const test = suite('runs in SQLite')

const folders: string[] = []
function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-runs-'))
  folders.push(folder)
  return join(folder, 'svc.db')
}
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

for (const fsync of ['group', 'always', 'off'] as const) {
  test(`two handles in one process keep the contract, with fsync ${fsync}`, async () => {
    const problems = await checkStore({
      open: async (clock) => {
        const file = newFile()
        const [store, other] = [new SqliteStore({ file, fsync, clock }), new SqliteStore({ file, fsync, clock })]
        store.open()
        other.open()
        return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) }
      },
    })
    assert.equal(problems, [])
  })
}

test('two handles in two processes keep the contract', async () => {
  const problems = await checkStore({
    open: async (clock) => {
      const file = newFile()
      const store = new SqliteStore({ file, clock })
      store.open()
      const remote = await openRemote(file, clock)
      return {
        store,
        other: remote.store,
        close: async () => void (await Promise.all([store.close(), remote.close()])),
      }
    },
  })
  assert.equal(problems, [])
})

test.run()
