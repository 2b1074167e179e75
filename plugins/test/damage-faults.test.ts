/** Bytes that change in the file of a store: what is read then is right, or refused. `store-log-check` damages its log. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Store, SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { randomFrom } from './fixtures/durability/matrix-suite.ts'
import { eventOf, leased, newFile, newFolder, newRow, openStore } from './fixtures/run-rows.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
const test = suite('damage to the files of a store')
const random = randomFrom(Number(process.env.SVC_SEED || 1))
const IDS = Array.from({ length: 12 }, (_, n) => `run_${n}`)

/** Files of a store that nobody has closed, with runs that have ended and runs at work; the newest stand in the log. */
async function makeFiles(): Promise<string> {
  const file = newFile()
  const store = openStore(file)
  for (const [n, id] of IDS.entries()) {
    const lease = await leased(store, newRow(id, { tags: [`tag-${n % 3}`] }))
    for (let m = 0; m < 4; m++) {
      const text = `answer ${m} of ${id} `
      await store.commit(lease, {
        events: [eventOf(id, { text: text.repeat(m * 40 + 1) }), eventOf(id, { number: m })],
        steps: [{ key: `k${m}`, effect: 'pure', state: 'done', outcome: text.repeat(m * 200), time: 1, seq: m }],
        run: { costUsd: m },
      })
    }
    await store.command(id, { id: 'cmd', kind: 'cancel', reason: `of ${id}`, by: 'user' })
    if (n % 2 === 0)
      await store.commit(lease, { run: { status: 'completed' }, events: [eventOf(id, {}, 'run.completed')] })
    if (n !== 8) continue
    const other = new Sqlite(file)
    other.all('PRAGMA wal_checkpoint(TRUNCATE)')
    other.close()
  }
  const copy = join(newFolder(), 'svc.db')
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`)
  await store.close()
  return copy
}

/** What a store says of a run, or the code with which it refuses to. */
async function readRun(store: Store, id: string): Promise<string[]> {
  const parts = [() => store.runs.get(id), () => store.events.list(id), () => store.steps(id), () => store.commands(id)]
  const said: string[] = []
  for (const part of parts) {
    try {
      said.push(JSON.stringify(await part()) ?? 'none')
    } catch (thrown) {
      if (!SvcError.isInstance(thrown)) throw thrown
      said.push(thrown.code)
    }
  }
  return said
}

const isRefused = (said: string): boolean => said === 'log_corrupt' || said === 'store_unavailable'

/** Counts of what became of damaged files and of the runs in them. */
interface Tally {
  refused: number
  right: number
  unreadable: number
  /** Told otherwise, and nobody noticed. */
  wrong: string[]
}

function spoil(bytes: Buffer): Buffer {
  const spoilt = Buffer.from(bytes)
  const at = Math.floor(random() * spoilt.length)
  const kind = Math.floor(random() * 3)
  if (kind === 0) spoilt[at] = (spoilt[at] ?? 0) ^ (1 << Math.floor(random() * 8))
  else if (kind === 1) spoilt[at] = Math.floor(random() * 256)
  else spoilt.fill(0, at - (at % 512), at - (at % 512) + 512)
  return spoilt
}

async function damage(times: number): Promise<Tally> {
  const pristine = await makeFiles()
  const [bytes, log] = [readFileSync(pristine), readFileSync(`${pristine}-wal`)]
  // A folder for each: the driver lets go of a file some time after it was closed.
  const write = (spoilt: Buffer): string => {
    const file = join(newFolder(), 'svc.db')
    writeFileSync(file, spoilt)
    writeFileSync(`${file}-wal`, log)
    return file
  }
  const whole = openStore(write(bytes))
  const expected = new Map<string, string[]>()
  for (const id of IDS) expected.set(id, await readRun(whole, id))
  await whole.close()
  const tally: Tally = { refused: 0, right: 0, unreadable: 0, wrong: [] }
  for (let time = 0; time < times; time++) {
    const spoilt = spoil(bytes)
    const file = write(spoilt)
    let store: ReturnType<typeof openStore>
    try {
      store = openStore(file)
    } catch (thrown) {
      if (!SvcError.isInstance(thrown)) throw thrown
      tally.refused++
      assert.equal(readFileSync(file), spoilt)
      continue
    } finally {
      rmSync(dirname(file), { recursive: true })
    }
    for (const id of IDS) {
      const said = await readRun(store, id)
      const whole = expected.get(id) ?? []
      const wrong = said.findIndex((part, index) => part !== whole[index] && !isRefused(part))
      if (wrong >= 0) tally.wrong.push(`${id}: ${said[wrong]?.slice(0, 200)} instead of ${whole[wrong]?.slice(0, 200)}`)
      else if (said.some(isRefused)) tally.unreadable++
      else tally.right++
    }
    try {
      await store.close()
    } catch (thrown) {
      if (!SvcError.isInstance(thrown)) throw thrown
    }
  }
  return tally
}

test('a byte of the file that changes is noticed by who reads what it was part of, and changes nothing else', async () => {
  const tally = await damage(isNightly ? 1_000 : 25)
  if (isNightly) console.log(tally)
  assert.equal(tally.wrong, [])
  assert.ok(tally.right > tally.unreadable)
})

test('a column of a run that is not as it was written is refused to who reads it or goes on with it', async () => {
  const changes = [
    "id = 'run_2'",
    'format = 2',
    "status = 'waiting'",
    "mode = 'plan'",
    "created_at = '2024-05-01T12800:00.000Z'",
    'version = version + 1',
    'last_seq = last_seq - 1',
    `state = '{"costUsd":2}'`,
  ]
  for (const change of changes) {
    const file = newFile()
    const store = openStore(file)
    const lease = await leased(store, newRow('run_1'))
    await store.commit(lease, { run: { costUsd: 1 }, events: [eventOf('run_1', {})] })
    const other = openStore(file)
    const db = new Sqlite(file)
    db.exec(`UPDATE runs SET ${change}`)
    db.close()
    const [listed] = (await other.runs.list()).data
    assert.is(listed?.error?.code, 'log_corrupt', change)
    const isKnown = await other.commit({ ...lease, runId: listed?.id ?? '' }, { run: { costUsd: 2 } }).then(
      () => true,
      (thrown) => !isRefused(thrown.code),
    )
    assert.not.ok(isKnown, change)
    await Promise.all([store.close(), other.close()])
  }
})

test.run()
