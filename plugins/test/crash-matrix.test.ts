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
  referencesOf,
  startWorld,
  sumOf,
  type Verdict,
  type World,
} from './fixtures/durability/crash-matrix.ts'
import { SCENARIOS, type ScenarioName } from './fixtures/durability/scenarios.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
/** Beside writes; nightly beside every one, before and after. */
const KILLS_AT_WRITES = isNightly ? Number.POSITIVE_INFINITY : 10
/** At any time, under load. */
const RANDOM_KILLS = isNightly ? 1_008 : 48
/** In one home, one after the other. */
const KILLS_IN_SERIES = 12
const RUNS_AT_ONCE = 6
const PROCESSES = 3

/** Every kind of write that a run makes. One that is not here was not thought of when the scenarios were made. */
const KNOWN_POINTS: readonly string[] = [
  'claim',
  'command answer',
  'command cancel',
  'commit: approval, events, status running, taken, wait done',
  'commit: approval, events, status waiting, wait begun',
  'commit: events',
  'commit: events, idempotent begun',
  'commit: events, once done',
  'commit: events, pure done',
  'commit: events, status cancelled',
  'commit: events, status cancelling, taken',
  'commit: events, status completed',
  'commit: events, status running',
  'commit: idempotent begun',
  'commit: idempotent done',
  'commit: once begun',
  'create',
  'release',
]

const test = suite('crash matrix')
const names = Object.keys(SCENARIOS) as ScenarioName[]
/** Those that may work side by side: what is recalled depends on which run ended first. */
const mixed = names.filter((name) => !SCENARIOS[name].isRemembered)
const root = mkdtempSync(join(tmpdir(), 'svc-crash-'))
let references = new Map<ScenarioName, Reference>()
const random = randomFrom(Number(process.env.SVC_SEED || 1))
let world: World
let count = 0

const newHome = (): { dir: string } => ({ dir: join(root, String(++count)) })

test.before(async () => {
  world = await startWorld()
  const remembered = names.filter((name) => SCENARIOS[name].isRemembered)
  references = new Map([
    ...(await referencesOf(world, mixed, newHome())),
    ...(await referencesOf(world, remembered, newHome())),
  ])
})
test.after(() => {
  world.stop()
  rmSync(root, { recursive: true, force: true })
})

function assertNothingBroke(verdicts: readonly Verdict[], leastKills: number): void {
  const { damage, notes, kills } = sumOf(verdicts)
  assert.equal(notes, [])
  assert.ok(
    Object.values(damage).every((times) => times === 0),
    JSON.stringify(damage),
  )
  assert.ok(kills >= leastKills, `${kills} processes were killed`)
}

test('every kind of write is known, and each known one is made', () => {
  const seen = new Set([...references.values()].flatMap(({ writes }) => writes))
  assert.equal([...seen].sort(), [...KNOWN_POINTS].sort())
})

test('nothing breaks where a process is killed before or after a write', async () => {
  const all = names.flatMap((scenario) =>
    (references.get(scenario)?.writes ?? []).flatMap((_, index): [ScenarioName, Kill][] => [
      [scenario, { at: index + 1, when: 'before' }],
      [scenario, { at: index + 1, when: 'after' }],
    ]),
  )
  const verdicts: Verdict[] = []
  await inTurn(pickSome(all, KILLS_AT_WRITES), PROCESSES, async ([scenario, kill]) => {
    const home = newHome()
    const cases = [[{ name: `case ${count}`, scenario }]]
    verdicts.push(await crash(world, [kill], { home, cases, references }))
  })
  // A run that has ended has nothing more to write, so that the last places may not come.
  assertNothingBroke(verdicts, Math.min(all.length, KILLS_AT_WRITES) * 0.8)
})

test('nothing breaks where processes that work on several runs are killed at any time, one after the other', async () => {
  const verdicts: Verdict[] = []
  const series = Array.from({ length: RANDOM_KILLS / KILLS_IN_SERIES }, (_, index) => index)
  await inTurn(series, PROCESSES, async () => {
    const home = newHome()
    const kills = Array.from({ length: KILLS_IN_SERIES }, () => ({ afterMs: 60 + random() * 900 }))
    const cases = kills.map(() =>
      Array.from({ length: RUNS_AT_ONCE / 2 }, () => ({
        name: `load ${++count}`,
        scenario: mixed[Math.floor(random() * mixed.length)] as ScenarioName,
      })),
    )
    verdicts.push(await crash(world, kills, { home, cases, references }))
  })
  assertNothingBroke(verdicts, RANDOM_KILLS * 0.9)
})

test('a call that was not recorded may be made again, also where another agent has asked the same', async () => {
  const at = (references.get('debate')?.writes ?? []).indexOf('commit: events, pure done') + 1
  // The next processes ask for the others, and are killed before they record them.
  const kills: Kill[] = [
    { at, when: 'after' },
    ...Array.from({ length: 6 }, () => ({ at: 6, when: 'before' as const })),
  ]
  const cases = [[{ name: 'an unlucky case', scenario: 'debate' as const }]]
  assertNothingBroke([await crash(world, kills, { home: newHome(), cases, references })], 2)
})

test('a store that loses what it recorded is found out', async () => {
  const at = (references.get('sequential')?.writes ?? []).lastIndexOf('commit: events, pure done')
  const kills: Kill[] = [{ at, when: 'after' }]
  const cases = [[{ name: 'a forgetful case', scenario: 'sequential' as const }]]
  const { damage } = await crash(world, kills, { home: newHome(), cases, references, isForgetful: true })
  assert.ok(damage.recordedCallsRepeated > 0)
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
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

test.run()
