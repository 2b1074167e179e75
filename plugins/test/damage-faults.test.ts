/** Bytes that change in the files of a store: what is read then is right, or refused. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Store, SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PAGE_BYTES } from '../src/stores/sqlite/file/page-bytes.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { randomFrom } from './fixtures/durability/matrix-suite.ts'
import { eventOf, leased, newFile, newFolder, newRow, openStore } from './fixtures/run-rows.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
const test = suite('damage to the files of a store')
const random = randomFrom(Number(process.env.SVC_SEED || 1))
const HEADER = 32
const FRAME = 24 + PAGE_BYTES
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

/** Whether a list is the begin of another. */
function isBegin(said: string, whole = '[]'): boolean {
  const all = JSON.parse(whole) as unknown[]
  return (JSON.parse(said) as unknown[]).every((item, index) => JSON.stringify(item) === JSON.stringify(all[index]))
}

/** Counts of what became of damaged files and of the runs in them. */
interface Tally {
  files: number
  refused: number
  right: number
  unreadable: number
  /** Files as they were some commits before. */
  earlier: number
  /** Commits that were acknowledged and stand at the damage or after it, by how many files were opened nevertheless. */
  lost: Record<number, number>
  /** Told otherwise, and nobody noticed. */
  wrong: string[]
}

/** How many commits of a log, as far as their marks stand, end with the frame of this byte or with a later one. */
function commitsFrom(log: Buffer, at: number): number {
  let commits = 0
  for (let start = HEADER; start < log.length; start += FRAME)
    if (start + FRAME > at && log.readUInt32BE(start + 4) > 0) commits++
  return commits
}

async function damage(end: '' | '-wal', times: number): Promise<Tally> {
  const pristine = await makeFiles()
  const bytes = { '': readFileSync(pristine), '-wal': readFileSync(`${pristine}-wal`) }
  // A folder for each: the driver lets go of a file some time after it was closed.
  const write = (spoilt: Buffer): string => {
    const file = join(newFolder(), 'svc.db')
    for (const each of ['', '-wal'] as const) writeFileSync(`${file}${each}`, each === end ? spoilt : bytes[each])
    return file
  }
  const whole = openStore(write(bytes[end]))
  const expected = new Map<string, string[]>()
  for (const id of IDS) expected.set(id, await readRun(whole, id))
  await whole.close()
  const tally: Tally = { files: times, refused: 0, right: 0, unreadable: 0, earlier: 0, lost: {}, wrong: [] }
  for (let time = 0; time < times; time++) {
    const spoilt = Buffer.from(bytes[end])
    const at = Math.floor(random() * spoilt.length)
    const kind = ['a bit', 'a byte', 'a sector of zeros'][Math.floor(random() * 3)]
    if (kind === 'a bit') spoilt[at] = (spoilt[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    else if (kind === 'a byte') spoilt[at] = Math.floor(random() * 256)
    else spoilt.fill(0, at - (at % 512), at - (at % 512) + 512)
    const file = write(spoilt)
    let store: ReturnType<typeof openStore>
    try {
      store = openStore(file)
    } catch (thrown) {
      if (!SvcError.isInstance(thrown)) throw thrown
      tally.refused++
      assert.equal(readFileSync(`${file}${end}`), spoilt)
      continue
    } finally {
      rmSync(dirname(file), { recursive: true })
    }
    let isBack = false
    for (const id of IDS) {
      const said = await readRun(store, id)
      const whole = expected.get(id) ?? []
      const isEarlier = end === '-wal' && said.every((part, index) => index === 0 || isBegin(part, whole[index]))
      const wrong = said.findIndex((part, index) => part !== whole[index] && !isRefused(part))
      if (wrong >= 0 && isEarlier) {
        isBack = true
        continue
      }
      if (wrong >= 0) {
        tally.wrong.push(
          `${kind} at ${at}: ${id}: ${said[wrong]?.slice(0, 200)} instead of ${whole[wrong]?.slice(0, 200)}`,
        )
      } else if (said.some(isRefused)) tally.unreadable++
      else tally.right++
    }
    if (isBack) {
      tally.earlier++
      const lost = commitsFrom(
        spoilt,
        spoilt.findIndex((byte, index) => byte !== bytes['-wal'][index]),
      )
      tally.lost[lost] = (tally.lost[lost] ?? 0) + 1
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
  const tally = await damage('', isNightly ? 1_000 : 25)
  if (isNightly) console.log(tally)
  assert.equal(tally.wrong, [])
  assert.ok(tally.right > tally.unreadable)
})

// Damage after the last commit but one, or to its mark, may be what a crash leaves of the last: SQLite ends its log there.
test('a log with a changed byte before a commit that was acknowledged is refused and left as it is', async () => {
  const tally = await damage('-wal', isNightly ? 1_000 : 40)
  if (isNightly) console.log(tally)
  assert.equal(tally.wrong, [])
  assert.ok(tally.refused > 0)
  assert.equal(
    Object.keys(tally.lost).filter((count) => Number(count) > 1),
    [],
  )
})

test.run()
