import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { SqliteStore } from '../src/index.ts'
import { judge, type Life, start, type Verdict } from './fixtures/durability/crash-matrix.ts'
import { addFaultWorld, isNightly } from './fixtures/durability/fault-world.ts'
import { type Home, projectHome } from './fixtures/durability/homes.ts'
import { assertNothingBroke, pickSome, randomFrom } from './fixtures/durability/matrix-suite.ts'
import { type ScenarioName, SIDE_BY_SIDE } from './fixtures/durability/scenarios.ts'
import { tryAll } from './fixtures/durability/try-all.ts'
import { type Failing, FaultLayer, missing } from './fixtures/faults/fault-layer.ts'
import { mountSmallDisk } from './fixtures/faults/small-disk.ts'
import { type Keeps, UnsafeDisk } from './fixtures/faults/unsafe-disk.ts'

const test = suite('faults of the disk')
const withLayer = missing === undefined ? test : test.skip
const scenarios: readonly ScenarioName[] = isNightly ? SIDE_BY_SIDE : ['fan-out', 'approval']
const faults = addFaultWorld(test, scenarios)
const seed = Number(process.env.SVC_SEED || 1)

const codesOf = ({ said }: Life): string[] => said.flatMap((one) => ('refused' in one ? [one.code] : []))

function newProject(): Home {
  const { dir } = faults.newHome()
  mkdirSync(dir)
  return projectHome(dir)
}

/** A process that works on runs while writes fail. Where they fail for good it is killed, and another one goes on. */
async function spoil(
  wanted: readonly ScenarioName[],
  failing: Failing,
): Promise<{ verdict: Verdict; codes: string[] }> {
  const { world, references } = faults
  const [home, cases, layer] = [newProject(), faults.newCases(wanted), new FaultLayer()]
  layer.fail(failing)
  const settings = { home, world: world.url, cases, isPatient: true }
  const first = start(settings, undefined, layer.env)
  if (failing.last === Number.POSITIVE_INFINITY) {
    while (layer.writes < failing.first && !first.isOver) await pause(20)
    await pause(300)
    first.kill('SIGKILL')
  }
  const lives = [await first.ended]
  if (lives[0]?.left !== 0) lives.push(await start(settings).ended)
  return { verdict: await judge(world, home, cases, references, lives), codes: lives.flatMap(codesOf) }
}

/** Of what was not synced nothing is left, or a part: the same each time. */
function keptAt(write: number): Keeps {
  const random = randomFrom(seed + write)
  const part = write % 2 === 0 ? 0 : random()
  return () => random() < part
}

/** A process whose machine loses its power before a write; another one goes on with what the disk has then. */
async function cutPower(scenario: ScenarioName, write: number, keeps: Keeps): Promise<Verdict> {
  const { world, references } = faults
  const [disk, cases] = [new UnsafeDisk(faults.newHome().dir), faults.newCases([scenario])]
  const layer = new FaultLayer(disk)
  layer.killAt(write)
  const settings = { home: projectHome(disk.dir), world: world.url, cases }
  const first = await start(settings, undefined, layer.env).ended
  disk.cutPower(keeps)
  return judge(world, settings.home, cases, references, [first, await start(settings).ended])
}

/** How many writes a process makes until runs of these scenarios have ended. */
async function countWrites(wanted: readonly ScenarioName[]): Promise<number> {
  const layer = new FaultLayer()
  const cases = faults.newCases(wanted)
  const settings = { home: newProject(), world: faults.world.url, cases, isPatient: true }
  await start(settings, undefined, layer.env).ended
  return layer.writes
}

let everyWrite: [ScenarioName, number][] | undefined

/** Every write of every scenario; those that make the file, which all have in common, once. */
async function listWrites(): Promise<[ScenarioName, number][]> {
  const opening = await countWrites([])
  const all: [ScenarioName, number][] = []
  for (const scenario of scenarios) {
    const last = await countWrites([scenario])
    for (let write = all.length === 0 ? 1 : opening + 1; write <= last; write++) all.push([scenario, write])
  }
  return all
}

/** All writes at night. */
async function writesToTry(): Promise<[ScenarioName, number][]> {
  if (!isNightly) return SOME_WRITES
  everyWrite ??= await listWrites()
  return everyWrite
}

/** As the file is made, and in the midst of a run: one alone, and all from then on. */
const SOME_WRITES: [ScenarioName, number][] = [
  ['fan-out', 14],
  ['fan-out', 250],
  ['approval', 285],
]

/** Of some 13,000, for each way in which the log is moved. */
const MOVES_AT_NIGHT = 100
const FILLER = new URL('./fixtures/faults/log-filler.ts', import.meta.url)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('tests that need a C compiler are skipped where there is none', () => {
  if (missing !== undefined) console.log(missing)
  assert.ok(missing === undefined || missing.length > 0)
})

withLayer('a write that fails, whichever it is and whether once or from then on, breaks nothing', async () => {
  const codes = new Map<string, number>()
  await tryAll('SQLite: a write fails', await writesToTry(), 4, async ([scenario, first]) => {
    const error = first % 2 === 0 ? 'EIO' : 'ENOSPC'
    const isForGood = first % 3 === 0
    const last = isForGood ? Number.POSITIVE_INFINITY : first
    const spoilt = await spoil([scenario], { first, last, error, isTorn: first % 5 < 2 })
    for (const code of spoilt.codes) codes.set(code, (codes.get(code) ?? 0) + 1)
    return spoilt.verdict
  })
  if (isNightly) console.log('refused with', codes)
  assert.equal(
    [...codes.keys()].filter((code) => code !== 'disk_full' && code !== 'store_unavailable'),
    [],
  )
})

withLayer('a machine that loses its power before any write forgets nothing that was acknowledged', async () => {
  const verdicts = await tryAll('SQLite: the power goes', await writesToTry(), 4, ([scenario, write]) =>
    cutPower(scenario, write, keptAt(write)),
  )
  assertNothingBroke(verdicts, verdicts.length / 2)
})

/** What a call of `log-filler.ts` did, and which writes it made. */
interface Filled {
  what: string
  first: number
  last: number
  isMoved: boolean
}

/** A process that fills a store. @returns its calls that were acknowledged */
async function fill({ dir }: UnsafeDisk, layer: FaultLayer): Promise<Filled[]> {
  const child = spawn(process.execPath, [...argumentsFor(FILLER), dir], {
    env: layer.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: Filled[] = []
  createInterface(child.stdout).on('line', (line) => said.push(JSON.parse(line)))
  await once(child, 'close')
  return said
}

/** What of an acknowledged call is not in the store any more. */
async function forgottenIn(file: string, said: readonly Filled[]): Promise<string[]> {
  const store = new SqliteStore({ file })
  store.open()
  const { data } = await store.runs.list({ limit: 100 })
  const there = await Promise.all(
    data.map(async ({ id, task }) => `${id} ${task.length} ${(await store.events.list(id)).length}`),
  )
  await store.close()
  const isRemoved = said.some(({ what }) => what === 'removed run_0')
  // Its removal may be written and not yet acknowledged.
  const mayBeGone = said.some(({ what }) => what === 'made run_7')
  const wanted = said.flatMap(({ what }) => {
    const id = /^made (.*)/.exec(what)?.[1]
    return id === undefined || (mayBeGone && id === 'run_0') ? [] : `${id} 200000 1`
  })
  const isBack = isRemoved && there.some((run) => run.startsWith('run_0 '))
  return [...wanted.filter((run) => !there.includes(run)), ...(isBack ? ['that run_0 was removed'] : [])]
}

withLayer('a machine that loses its power while the log is moved into the database forgets nothing', async () => {
  const whole = new UnsafeDisk(faults.newHome().dir)
  const calls = await fill(whole, new FaultLayer(whole))
  // By itself, as a run is deleted, and as the store is closed.
  const moving = calls.filter(({ what, isMoved }) => (isMoved && what !== 'opened') || what.startsWith('removed'))
  assert.equal(
    moving.map(({ what }) => what.split(' ')[0]),
    ['made', 'removed', 'closed'],
  )
  const random = randomFrom(seed)
  const places = moving.flatMap(({ first, last }) =>
    pickSome(
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
      isNightly ? MOVES_AT_NIGHT : 2,
      random,
    ),
  )
  const tried = await tryAll('SQLite: the log is moved as the power goes', places, 2, async (write) => {
    const disk = new UnsafeDisk(faults.newHome().dir)
    const layer = new FaultLayer(disk)
    layer.killAt(write)
    const said = await fill(disk, layer)
    disk.cutPower(keptAt(write))
    return { notes: await forgottenIn(join(disk.dir, 'svc.db'), said), isCut: said.length < calls.length }
  })
  assert.ok(tried.length === 0 || tried.some(({ isCut }) => isCut))
})

/** Bytes that are free when runs begin. */
const ROOMS = isNightly ? [60_000, 100_000, 130_000, 160_000, 200_000, 230_000, 260_000, 300_000] : [200_000]
const SMALL_BYTES = 16_000_000

/** Runs that fill their disk, on which there is room again a while later. */
async function fillDisk(free: number): Promise<Verdict> {
  const { world, references } = faults
  const disk = mountSmallDisk(SMALL_BYTES)
  if (typeof disk === 'string') throw new Error(disk)
  try {
    disk.fill(free)
    const cases = faults.newCases(Array.from({ length: 4 }, () => scenarios).flat())
    const running = start({ home: { dir: disk.dir }, world: world.url, cases, isPatient: true })
    while (!running.said.some((one) => 'refused' in one) && !running.isOver) await pause(10)
    // What comes while it is full is refused, too.
    await pause(300)
    disk.empty()
    const life = await running.ended
    assert.equal([...new Set(codesOf(life))], ['disk_full'], `with ${free} bytes`)
    return await judge(world, { dir: disk.dir }, cases, references, [life])
  } finally {
    disk.close()
  }
}

test('runs that fill their disk are refused as disk_full, lose nothing, and go on when there is room again', async () => {
  const disk = mountSmallDisk(SMALL_BYTES)
  if (typeof disk === 'string') {
    console.log(disk)
    return
  }
  disk.close()
  await tryAll('SQLite: the disk is full', ROOMS, 1, fillDisk)
})

test.run()
