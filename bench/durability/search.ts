/**
 * Searches in tasks and answers, and costs, of many runs in a SQLite file: processor time of each, and of what it does without a
 * pause, for which the event loop waits; how many bytes the words take, and how long a file of the format before is brought up to
 * date. The floor of a search is the bare question to the index of words: which runs have all pieces of three letters of the text.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/search.ts [--runs 100000] [--words 250]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { RunRow } from '@svc/core'
import { SqliteStore } from '@svc/plugins'
import { Sqlite } from '../../plugins/src/stores/sqlite/file/sqlite.ts'
import { newRow } from '../../plugins/test/fixtures/run-rows.ts'
import { cpuOf, median } from '../measure.mjs'

const { values: given } = parseArgs({
  options: { runs: { type: 'string', default: '100000' }, words: { type: 'string', default: '250' } },
})
const [RUNS, WORDS] = [Number(given.runs), Number(given.words)]
const SIDE_BY_SIDE = 100
const START_MS = Date.parse('2026-01-01T00:00:00.000Z')
const TIMES = 15
/** Enough different ones that most letters come after most others. */
const LEXICON = Array.from({ length: 4_000 }, (_, n) => wordOf(n))

const BARE = 'SELECT rowid FROM run_grams WHERE run_grams MATCH ? ORDER BY rowid DESC LIMIT 21'

/** All pieces of three letters of a text, as the index is asked for them. */
const piecesOf = (text: string): string =>
  Array.from({ length: text.length - 2 }, (_, at) => `"${text.slice(at, at + 3)}"`).join(' AND ')

const dir = mkdtempSync(join(tmpdir(), 'svc-search-'))
try {
  const file = join(dir, 'runs.db')
  await fill(file)
  await indexed(file)
  show('bytes a run', statSync(file).size / RUNS / 1024, 'KB')
  await measure(file)
  await measureUpgrade(file)
} finally {
  rmSync(dir, { recursive: true, force: true })
}

function wordOf(n: number): string {
  let [text, rest] = ['', n * 7_919 + 13]
  for (let sound = 0; sound < 2 + (n % 3); sound++) {
    text += 'bcdfghklmnprstvw'[rest % 16] ?? ''
    text += 'aeiou'[(rest >> 4) % 5] ?? ''
    rest = (rest * 31 + 7) % 65_521
  }
  return text
}

function answerOf(n: number): string {
  return Array.from({ length: WORDS }, (_, index) => {
    // Few words are often said, and most seldom.
    const at = ((n * 2_654_435_761 + index * 40_503) % 65_536) / 65_536
    return LEXICON[Math.floor(at ** 3 * LEXICON.length)]
  }).join(' ')
}

async function fill(file: string): Promise<void> {
  const store = new SqliteStore({ file, fsync: 'off' })
  store.open()
  const began = performance.now()
  for (let from = 0; from < RUNS; from += SIDE_BY_SIDE) {
    const numbers = Array.from({ length: SIDE_BY_SIDE }, (_, index) => from + index)
    await Promise.all(numbers.map((n) => store.create(rowOf(n), [])))
    const claimed = await store.claim('filler', { limit: SIDE_BY_SIDE, ttlMs: 60_000 })
    await Promise.all(
      claimed.map(async ({ run, lease }) => {
        const n = Number(run.id.slice(4))
        const summary = `${answerOf(n)}. The answer to question ${n} is 42.`
        const usage = { ...run.usage, inputTokens: 900, outputTokens: 100 }
        const use = { model: `acme/model-${n % 4}`, inputTokens: 900, outputTokens: 100, costUsd: 0.01 }
        const result = { status: 'completed', verdict: 'pass', summary } as never
        const end = {
          status: 'completed' as const,
          verdict: 'pass' as const,
          usage,
          costUsd: 0.01,
          models: [use],
          result,
        }
        const at = { v: 1, time: run.createdAt, runId: run.id } as const
        const data = { provider: 'acme', model: `model-${n % 4}`, usage, costUsd: 0.01 } as never
        const events = [
          { ...at, type: 'model.completed', callId: 'call-1', agentId: 'agent-1', data },
          { ...at, type: 'run.completed', data: { result } },
        ] as const
        await store.commit(lease, { events, run: end })
      }),
    )
  }
  show(`filling: ${RUNS} runs with answers of ${WORDS} words`, (performance.now() - began) / 1_000, 's')
  await store.close()
}

function rowOf(n: number): RunRow {
  return newRow(`run_${n}`, {
    task: `Look into question ${n} of the list and say what is known of it`,
    createdAt: new Date(START_MS + n * 180_000).toISOString(),
  })
}

/** Waits until the index of words has come to the last run. */
async function indexed(file: string): Promise<void> {
  const began = performance.now()
  const store = new SqliteStore({ file, fsync: 'off' })
  store.open()
  const db = new Sqlite(file)
  const behind = 'SELECT (SELECT max(seq) FROM runs) - (SELECT run FROM run_indexed) AS runs'
  while (Number(db.get(behind)?.runs) > 256) await new Promise((resolve) => setTimeout(resolve, 200))
  db.close()
  await store.close()
  show('indexing what was left, in the background', (performance.now() - began) / 1_000, 's')
}

/** Milliseconds of processor time that some work takes at most before others get their turn. */
async function longestPiece(work: () => Promise<void>): Promise<number> {
  let [longest, isOver] = [0, false]
  const ended = work().finally(() => {
    isOver = true
  })
  do longest = Math.max(longest, await cpuOf(() => setImmediate()))
  while (!isOver)
  await ended
  return longest / 1_000
}

async function measure(file: string): Promise<void> {
  const store = new SqliteStore({ file })
  store.open()
  const [often = '', seldom = ''] = [LEXICON[3], LEXICON[3_990]]
  const queries = {
    'of answers, that many say': { q: often },
    'of answers, that few say': { q: seldom },
    'of one answer': { q: `answer to question ${RUNS >> 1} ` },
    'of one answer, among words that all say': { q: `question ${RUNS >> 1} is 42` },
    'of one task': { q: `question ${RUNS >> 2} of` },
    'that none says': { q: 'no such words' },
    'that none says, a verdict': { q: 'no such words', verdict: 'pass' },
    'that many say, a page far back': { q: often, after: `run_${RUNS >> 4}` },
    'that none says, and all their pieces': { q: `${often.slice(0, 3)}${often.slice(-3)}` },
  } as const
  const bare = new Sqlite(file)
  for (const [name, query] of Object.entries(queries)) {
    const [costs, floors, pieces]: [number[], number[], number[]] = [[], [], []]
    let found = 0
    for (let n = 0; n < TIMES; n++) {
      const search = async () => {
        found = (await store.runs.list({ limit: 20, ...query })).data.length
      }
      costs.push((await cpuOf(async () => pieces.push(await longestPiece(search)))) / 1_000)
      floors.push((await cpuOf(async () => void bare.all(BARE, [piecesOf(query.q)]))) / 1_000)
    }
    const all = `${median(costs).toFixed(2)} ms in all, ${(median(costs) / median(floors)).toFixed(1)} x the floor`
    show(`words ${name}: ${found} found; ${all}`, median(pieces), 'ms', 10)
  }
  bare.close()
  for (const [name, query] of Object.entries({
    model: { model: 'acme/model-3' },
    verdict: { verdict: 'pass' },
    'verdict that none has': { verdict: 'fail' },
  } as const)) {
    const costs: number[] = []
    for (let n = 0; n < TIMES; n++) costs.push((await cpuOf(() => store.runs.list({ limit: 20, ...query }))) / 1_000)
    show(`list by ${name}`, median(costs), 'ms', 10)
  }
  for (const by of ['model', 'folder'] as const) {
    const times: number[] = []
    for (const from of [0, RUNS * 0.9]) {
      for (let n = 0; n < 5; n++) {
        const started = performance.now()
        const createdAfter = new Date(START_MS + from * 180_000).toISOString()
        await store.runs.costs?.({ per: 'day', by, utcOffsetMinutes: 60, limit: 10_000, createdAfter })
        times.push(performance.now() - started)
      }
      show(`costs per day by ${by}, of ${from === 0 ? 'all' : 'the newest tenth'}`, median(times.splice(0)), 'ms')
    }
  }
  await store.close()
}

/** Makes a file of the format before, and opens it. */
async function measureUpgrade(file: string): Promise<void> {
  const db = new Sqlite(file)
  db.exec(`DROP INDEX runs_by_verdict; ALTER TABLE runs DROP COLUMN verdict; DROP TABLE run_models;
    DELETE FROM svc_schema; INSERT INTO svc_schema VALUES (12, 0);
    UPDATE run_requests SET words = substr(words, 1, instr(words, char(10)) - 1)`)
  db.close()
  const began = performance.now()
  const store = new SqliteStore({ file })
  store.open()
  show('bringing a file of format 12 up to date', (performance.now() - began) / 1_000, 's')
  const { data } = await store.runs.list({ q: `answer to question ${RUNS >> 1} ` })
  if (data.length !== 1) throw new Error('an old answer is not found')
  await store.close()
}

function show(name: string, value: number, unit: string, aim?: number): void {
  const figure = `${value >= 100 ? value.toFixed(0) : value.toFixed(2)} ${unit}`
  const isMet = aim === undefined ? '' : `  aim ${aim}: ${value <= aim ? 'met' : 'MISSED'}`
  console.log(`${name.padEnd(96)} ${figure.padStart(12)}${isMet}`)
}
