/**
 * A long series of processes that are killed at random while they work on runs: what broke, by kind, and how soon the next
 * process goes on. Between two lives the config changes at times, and some series have a run that ends its processes itself.
 * A release is preceded by 10,000 kills without damage. SIGINT or SIGTERM ends it early, with what it has.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/kills.ts [kills=600] [--seed N]
 *   [--processes <twice as many as there are cores>] [--postgres | --url postgres://…] [--forgetful]
 *
 * `--postgres` starts a server of its own; `--url` names a database on one where databases may be created. `--forgetful`
 * has the store lose what it recorded, so that damage must be found.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadPg } from '../../plugins/src/stores/postgres/load-pg.ts'
import {
  crash,
  type References,
  referencesOf,
  startWorld,
  sumOf,
  type Verdict,
} from '../../plugins/test/fixtures/durability/crash-matrix.ts'
import { CHANGES } from '../../plugins/test/fixtures/durability/deploys.ts'
import type { Home } from '../../plugins/test/fixtures/durability/homes.ts'
import { casesOf, SIDE_BY_SIDE } from '../../plugins/test/fixtures/durability/scenarios.ts'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'

/** In one home, one after the other; each process begins some runs and goes on with those of the ones before. */
const KILLS_IN_SERIES = 12
const NEW_RUNS = 3
/** The part of series with a run that ends its processes, and of lives with each change of the config. */
const [POISONED, CHANGED] = [0.25, 0.15]
/** A model and tool server remembers all that it was asked: after so many series a new one takes its place. */
const SERIES_IN_WORLD = 20
/** Milliseconds. */
const AIMS = { p50: 250, p95: 500 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    processes: { type: 'string', default: String(2 * availableParallelism()) },
    postgres: { type: 'boolean', default: false },
    url: { type: 'string' },
    forgetful: { type: 'boolean', default: false },
  },
})
const wanted = Number(positionals[0] ?? 600)
const root = mkdtempSync(join(tmpdir(), 'svc-kills-'))
const server = values.postgres ? await startPostgres([]) : undefined
const url = server?.newDatabase() ?? values.url
/** How long a process lives after its first word, unless its runs end sooner. In PostgreSQL a lease has to run out first. */
const [leastMs, mostMs] = url === undefined ? [0, 500] : [0, 1_200]
const verdicts: Verdict[] = []
const stopping = new AbortController()
let state = Number(values.seed)
let count = 0
let runs = 0
let planned = 0
let damaged = 0

// No process reaches more than this machine: a list of certificates would cost each a tenth of a second.
delete process.env.NODE_EXTRA_CA_CERTS
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
const started = Date.now()
let references: References | undefined
try {
  await Promise.all(Array.from({ length: Number(values.processes) }, inOneWorldAfterTheOther))
} catch (thrown) {
  damaged++ // its store is worth a look
  throw thrown
} finally {
  print()
  server?.close()
  if (damaged === 0) rmSync(root, { recursive: true, force: true })
  else console.log(`the stores of damaged series are kept in ${root}`)
}
process.exitCode = damaged === 0 ? 0 : 1

async function inOneWorldAfterTheOther(): Promise<void> {
  while (planned < wanted && !stopping.signal.aborted) {
    const world = await startWorld()
    try {
      references ??= await inHome((home) => referencesOf(world, SIDE_BY_SIDE, home))
      for (let series = 0; series < SERIES_IN_WORLD && planned < wanted && !stopping.signal.aborted; series++) {
        const kills = Math.min(KILLS_IN_SERIES, wanted - planned)
        planned += kills
        await inSeries(world, references, kills)
      }
    } finally {
      world.stop()
    }
  }
}

async function inSeries(
  world: Awaited<ReturnType<typeof startWorld>>,
  known: References,
  kills: number,
): Promise<void> {
  const ends = Array.from({ length: kills }, () => ({ afterMs: leastMs + random() * (mostMs - leastMs) }))
  const cases = ends.map(() =>
    Array.from({ length: NEW_RUNS }, () => casesOf(`load ${++count}`, oneOf(SIDE_BY_SIDE) ?? 'sequential')).flat(),
  )
  // A few: it is taken up again after a while only, so that a series takes some ten seconds longer.
  if (random() < POISONED) oneOf(cases)?.push({ name: `load ${++count}`, scenario: 'poison' })
  // Most deploys change nothing or one thing.
  const changes = ends.map(() => CHANGES.filter(() => random() < CHANGED))
  await inHome(async (home) => {
    const settings = { home, cases, changes, references: known, isForgetful: values.forgetful, signal: stopping.signal }
    const verdict = await crash(world, ends, settings)
    verdicts.push(verdict)
    runs += cases.flat().length
    for (const note of verdict.notes) console.log(`${home.url ?? home.dir}: ${note}`)
    if (verdict.notes.length > 0) damaged++
    if (verdicts.length % 20 === 0) {
      const { kills, notes } = sumOf(verdicts)
      console.log(`${kills} kills after ${seconds()} s, ${notes.length} damages`)
    }
    return verdict.notes.length === 0
  })
}

/** Work in a folder, or a database, of its own, which is removed unless the work answers false. */
async function inHome<T>(work: (home: Home) => Promise<T>): Promise<T> {
  const dir = join(root, `home-${++count}`)
  const name = `svc_kills_${process.pid}_${count}`
  const home = url === undefined ? { dir } : { dir, url: Object.assign(new URL(url), { pathname: name }).href }
  if (url !== undefined) await sql(url, `CREATE DATABASE ${name}`)
  const done = await work(home)
  if (done === false) return done
  rmSync(dir, { recursive: true, force: true })
  if (url !== undefined) await sql(url, `DROP DATABASE ${name} WITH (FORCE)`)
  return done
}

async function sql(connectionString: string, query: string): Promise<void> {
  const { Client } = await loadPg()
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(query)
  } finally {
    await client.end()
  }
}

function print(): void {
  const { damage, kills, cuts, poisoned, parted, recoveriesMs } = sumOf(verdicts)
  const sorted = recoveriesMs.toSorted((one, other) => one - other)
  const percentile = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  const shown = (part: number, aim: number): string =>
    `${(percentile(part) / 1_000).toFixed(3)} s (aim ${aim / 1_000} s: ${percentile(part) <= aim ? 'met' : 'MISSED'})`
  console.log(`${new Date().toISOString()}, ${cpus().length} cores ${cpus()[0]?.model}, node ${process.version}`)
  console.log(
    `${url === undefined ? 'SQLite' : 'PostgreSQL'}, seed ${values.seed}: ${kills} kills, ${cuts} of them while runs were at work, ${runs} runs, ${values.processes} processes at once, ${seconds()} s, ${(kills / seconds()).toFixed(2)} kills a second`,
  )
  for (const [kind, times] of Object.entries(damage)) console.log(`${kind.padEnd(24)} ${times}`)
  console.log(`${'asked as poisoned'.padEnd(24)} ${poisoned}`)
  console.log(`${'asked as parted'.padEnd(24)} ${parted}`)
  console.log(`recovery of ${sorted.length}: p50 ${shown(0.5, AIMS.p50)}, p95 ${shown(0.95, AIMS.p95)}`)
}

function seconds(): number {
  return Math.round((Date.now() - started) / 1_000)
}

function oneOf<T>(all: readonly T[]): T | undefined {
  return all[Math.floor(random() * all.length)]
}

/** In [0, 1): mulberry32 (Ettinger, 2017). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}
