/** Runs at work while the clock of their machine is moved by an hour. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judge, type Life, type Running, start } from './fixtures/durability/crash-matrix.ts'
import { addFaultWorld, isNightly } from './fixtures/durability/fault-world.ts'
import { assertNothingBroke } from './fixtures/durability/matrix-suite.ts'
import { type ScenarioName, SIDE_BY_SIDE } from './fixtures/durability/scenarios.ts'
import { FaultLayer, missing } from './fixtures/faults/fault-layer.ts'
import { until } from './fixtures/until.ts'

const test = suite('faults of the clock')
const withLayer = missing === undefined ? test : test.skip
const scenarios: readonly ScenarioName[] = isNightly ? SIDE_BY_SIDE : ['sequential', 'fan-out']
const faults = addFaultWorld(test, scenarios)
const HOUR_MS = 3_600_000

test('tests that need a C compiler are skipped where there is none', () => {
  if (missing !== undefined) console.log(missing)
  assert.ok(missing === undefined || missing.length > 0)
})

/** Waits until a process has recorded a model call. */
async function untilAtWork({ said }: Running): Promise<void> {
  await until(() => said.some((each) => 'recorded' in each))
}

const takenIn = (lives: readonly Life[]): number =>
  lives.flatMap(({ said }) => said).filter((each) => 'type' in each && each.type === 'run.recovered').length

for (const shift of [HOUR_MS, -HOUR_MS]) {
  const moved = `a clock that is moved by ${shift / HOUR_MS} h`
  // A lease that seems to have run out, and one that seems to have long to go.
  const addForward = shift > 0 || isNightly ? withLayer : test.skip
  const addBackward = shift < 0 || isNightly ? withLayer : test.skip
  addForward(`${moved} takes no run away from the process that works on it`, async () => {
    const { world, references } = faults
    const [home, cases, layer] = [faults.newHome(), faults.newCases(scenarios, true), new FaultLayer()]
    const other = start({ home, world: world.url, cases: [], isDoomed: true }, { afterMs: 60_000 }, layer.env)
    // Its lease holds for longer than any machine is busy, and much shorter than the clock is moved.
    const one = start({ home, world: world.url, cases, leaseMs: 120_000 }, undefined, layer.env)
    await untilAtWork(one)
    one.kill('SIGSTOP') // it cannot renew its lease before the other has looked
    layer.shiftClock(shift)
    await new Promise((resolve) => setTimeout(resolve, 600))
    one.kill('SIGCONT')
    const life = await one.ended
    other.kill('SIGKILL')
    const lives = [await other.ended, life]
    assert.is(takenIn(lives.slice(0, 1)), 0)
    assertNothingBroke([await judge(world, home, cases, references, lives)], 0)
  })

  addBackward(`${moved} keeps no run of a process that hangs waiting`, async () => {
    const { world, references } = faults
    const [home, cases, layer] = [faults.newHome(), faults.newCases(['sequential'], true), new FaultLayer()]
    const settings = { home, world: world.url, cases }
    // After a record and before the next call: one that is stopped while it sends a call sends the rest of it later.
    const writes = references.get('sequential')?.writes ?? []
    const at = writes.findIndex((write) => /done/.test(write)) + 1
    const one = start(settings, { at, when: 'after', signal: 'SIGSTOP' }, layer.env)
    await untilAtWork(one)
    await one.stopped()
    layer.shiftClock(shift)
    const other = await start(settings, undefined, layer.env).ended.finally(() => one.kill('SIGCONT'))
    const lives = [other, await one.ended]
    assert.ok(takenIn(lives) > 0)
    assertNothingBroke([await judge(world, home, cases, references, lives)], 0)
  })
}

test.run()
