/**
 * A long series of processes that are killed at random while they work on runs, in the embedded store: what broke, by
 * kind, and how soon the next process goes on. A release is preceded by 10,000 kills without damage.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/kills.ts [kills=600] [--seed N] [--processes 2]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildTests, removeBuild } from '../../.tools/build-tests.mjs'
import {
  crash,
  inTurn,
  referencesOf,
  startWorld,
  sumOf,
  type Verdict,
} from '../../plugins/test/fixtures/durability/crash-matrix.ts'
import { SCENARIOS, type ScenarioName } from '../../plugins/test/fixtures/durability/scenarios.ts'

/** In one home, one after the other; each process begins some runs and goes on with those of the ones before. */
const KILLS_IN_SERIES = 12
const NEW_RUNS = 3
/** A model and tool server remembers all that it was asked: after so many kills a new one takes its place. */
const KILLS_IN_WORLD = 480
/** Milliseconds. */
const AIMS = { p50: 250, p95: 500 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    processes: { type: 'string', default: '2' },
  },
})
const wanted = Number(positionals[0] ?? 600)
const processes = Number(values.processes)
const scenarios = (Object.keys(SCENARIOS) as ScenarioName[]).filter((name) => !SCENARIOS[name].isRemembered)
const root = mkdtempSync(join(tmpdir(), 'svc-kills-'))
const verdicts: Verdict[] = []
let state = Number(values.seed)
let count = 0
let runs = 0
let damaged = 0

// What the processes run is built once: they start sooner, and sources may change meanwhile.
process.env.SVC_TEST_BUILD = (await buildTests([])).folder
const started = Date.now()
try {
  while (killsSoFar() < wanted) await inOneWorld(Math.min(KILLS_IN_WORLD, wanted - killsSoFar()))
} finally {
  removeBuild()
  print()
  if (damaged === 0) rmSync(root, { recursive: true, force: true })
  else console.log(`the stores of damaged series are kept in ${root}`)
}
process.exitCode = damaged === 0 ? 0 : 1

async function inOneWorld(kills: number): Promise<void> {
  const world = await startWorld()
  try {
    const references = await referencesOf(world, scenarios, newHome())
    const series = Array.from({ length: Math.ceil(kills / KILLS_IN_SERIES) }, (_, index) => index)
    await inTurn(series, processes, async () => {
      const home = newHome()
      const ends = Array.from({ length: KILLS_IN_SERIES }, () => ({ afterMs: 60 + random() * 900 }))
      const cases = ends.map(() =>
        Array.from({ length: NEW_RUNS }, () => ({
          name: `load ${++count}`,
          scenario: scenarios[Math.floor(random() * scenarios.length)] ?? 'sequential',
        })),
      )
      const verdict = await crash(world, ends, { home, cases, references })
      verdicts.push(verdict)
      runs += cases.flat().length
      for (const note of verdict.notes) console.log(`${home.dir}: ${note}`)
      if (verdict.notes.length === 0) rmSync(home.dir, { recursive: true, force: true })
      else damaged++
      if (verdicts.length % 10 === 0) console.log(`${killsSoFar()} kills after ${seconds()} s`)
    })
  } finally {
    world.stop()
  }
}

function print(): void {
  const { damage, kills, poisoned, recoveriesMs } = sumOf(verdicts)
  const sorted = recoveriesMs.toSorted((one, other) => one - other)
  const percentile = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  const shown = (part: number, aim: number): string =>
    `${(percentile(part) / 1_000).toFixed(3)} s (aim ${aim / 1_000} s: ${percentile(part) <= aim ? 'met' : 'MISSED'})`
  console.log(`${new Date().toISOString()}, ${cpus().length} cores ${cpus()[0]?.model}, node ${process.version}`)
  console.log(`seed ${values.seed}: ${kills} kills, ${runs} runs, ${processes} processes at once, ${seconds()} s`)
  for (const [kind, times] of Object.entries(damage)) console.log(`${kind.padEnd(24)} ${times}`)
  console.log(`${'poisoned'.padEnd(24)} ${poisoned}`)
  console.log(`recovery of ${sorted.length}: p50 ${shown(0.5, AIMS.p50)}, p95 ${shown(0.95, AIMS.p95)}`)
}

function killsSoFar(): number {
  return verdicts.reduce((sum, { kills }) => sum + kills, 0)
}

function seconds(): number {
  return Math.round((Date.now() - started) / 1_000)
}

function newHome(): { dir: string } {
  return { dir: join(root, `home-${++count}`) }
}

/** In [0, 1): mulberry32 (Ettinger, 2017). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}
