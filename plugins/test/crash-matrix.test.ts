import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  crash,
  inTurn,
  type Kill,
  type Reference,
  reference,
  startWorld,
  sumOf,
  type Verdict,
  type World,
} from './fixtures/durability/crash-matrix.ts'
import { SCENARIOS, type ScenarioName } from './fixtures/durability/scenarios.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
/** At random places; nightly beside every write, before and after. */
const RANDOM_KILLS = isNightly ? 1_000 : 20
const KILLS_AT_WRITES = isNightly ? Number.POSITIVE_INFINITY : 40
const AT_ONCE = 4

/** Every kind of write that a run makes. One that is not here was not thought of when this was written. */
const KNOWN_POINTS: readonly string[] = []

const test = suite('crash matrix')
const names = Object.keys(SCENARIOS) as ScenarioName[]
const root = mkdtempSync(join(tmpdir(), 'svc-crash-'))
const references = new Map<ScenarioName, Reference>()
let world: World
let count = 0

const newHome = (): { dir: string } => ({ dir: join(root, String(++count)) })
const random = randomFrom(Number(process.env.SVC_SEED ?? 1))

test.before(async () => {
  world = await startWorld()
  await inTurn(names, AT_ONCE, async (name) => references.set(name, await reference(world, name, newHome())))
})
test.after(() => {
  world.stop()
  rmSync(root, { recursive: true, force: true })
})

async function killAll(cases: readonly { scenario: ScenarioName; kills: Kill[] }[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  await inTurn(cases, AT_ONCE, async ({ scenario, kills }) => {
    const expected = references.get(scenario) as Reference
    const home = newHome()
    const name = `${scenario}-${count}-${kills.map((kill) => Object.values(kill).join('-')).join('-')}`
    verdicts.push(await crash(world, scenario, kills, { home, name, expected }))
    rmSync(home.dir, { recursive: true, force: true })
  })
  return verdicts
}

function assertNothingBroke(verdicts: readonly Verdict[]): void {
  const { notes, ...sums } = sumOf(verdicts)
  assert.equal(notes, [])
  for (const [name, sum] of Object.entries(sums)) assert.is(sum, 0, name)
}

test('every kind of write is one that is known, and each known one is made', () => {
  const seen = new Set([...references.values()].flatMap(({ writes }) => writes))
  assert.equal([...seen].sort(), [...KNOWN_POINTS].sort())
})

test('nothing breaks where a process is killed before or after a write', async () => {
  const all = names.flatMap((scenario) =>
    (references.get(scenario) as Reference).writes.flatMap((_, index) =>
      (['before', 'after'] as const).map((when) => ({ scenario, kills: [{ at: index + 1, when }] })),
    ),
  )
  assertNothingBroke(await killAll(pickSome(all, KILLS_AT_WRITES)))
})

test('nothing breaks where processes are killed at any time, several times', async () => {
  const cases = Array.from({ length: RANDOM_KILLS / 2 }, () => ({
    scenario: names[Math.floor(random() * names.length)] as ScenarioName,
    kills: [{ afterMs: 250 + random() * 400 }, { afterMs: 250 + random() * 400 }],
  }))
  assertNothingBroke(await killAll(cases))
})

function pickSome<T>(all: readonly T[], most: number): T[] {
  return all
    .map((item) => [random(), item] as const)
    .sort(([one], [other]) => one - other)
    .slice(0, most)
    .map(([, item]) => item)
}

/** Numbers in [0, 1) from a seed: mulberry32 (Ettinger, 2017). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

test.run()
