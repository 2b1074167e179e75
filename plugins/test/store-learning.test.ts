import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Lesson, TaskComplexityAnalyzer } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DataStore, InMemoryLessons, InMemoryOutcomes } from '../src/stores/index.ts'

type Outcome = Parameters<TaskComplexityAnalyzer['record']>[0]

const test = suite('outcomes and lessons that outlive the process')

const dir = mkdtempSync(join(tmpdir(), 'svc-learning-'))
let store: DataStore
test.before.each(() => {
  store = new DataStore({ dir: mkdtempSync(join(dir, 'one-')) })
})
test.after.each(() => store.close())
test.after(() => rmSync(dir, { recursive: true, force: true }))

const outcome = (fields: Partial<Outcome> = {}): Outcome => ({
  features: { steps: 0.5 },
  topology: 'PARALLEL',
  success: true,
  ...fields,
})

const lesson = (fields: Partial<Lesson> = {}): Lesson => ({
  trigger: 'a test needs the network',
  advice: 'listen on 127.0.0.1',
  evidence: ['run_1:7'],
  successes: 1,
  failures: 0,
  ...fields,
})

test('an analyzer learns from the outcomes that an earlier process recorded', async () => {
  for (let index = 0; index < 8; index++)
    await store.outcomes.add(outcome({ domain: 'Ops', success: false }), `run_${index}`)
  await store.outcomes.add(outcome({ domain: 'ops', success: true }), 'run_0')
  store.close()
  const outcomes = await store.outcomes.list({ domain: 'OPS' })
  assert.is(outcomes.length, 8)
  assert.equal(outcomes[0]?.success, true)
  assert.equal(await store.outcomes.list({ domain: 'law' }), [])
  assert.is((await store.outcomes.list()).length, 8)
  const weights = new TaskComplexityAnalyzer().calibrate(outcomes)
  assert.equal(weights.outcomes.ops?.PARALLEL, { successes: 1, failures: 7 })
})

test('what is no outcome is refused, and a damaged one is left out', async () => {
  for (const wrong of [{}, { topology: 'STAR' }, { quality: 2 }, { features: { steps: Number.NaN } }]) {
    const value = { ...outcome(), ...wrong, ...(Object.keys(wrong).length === 0 ? { success: 1 } : {}) }
    try {
      await store.outcomes.add(value as unknown as Outcome)
      assert.unreachable()
    } catch (thrown) {
      assert.is((thrown as { code?: string }).code, 'validation_failed')
    }
  }
  await store.outcomes.add(outcome())
  await store.outcomes.add(outcome({ topology: 'SINGLE' }))
  store.open().run("UPDATE outcomes SET body = replace(body, 'PARALLEL', 'PARALLAX')")
  assert.equal(
    (await store.outcomes.list()).map(({ topology }) => topology),
    ['SINGLE'],
  )
})

test('lessons that say the same are one, with what is known of both', async () => {
  await store.lessons.add(lesson())
  const joined = await store.lessons.add(lesson({ evidence: ['run_2:3'], successes: 0, failures: 1, cause: '1.3' }))
  assert.equal(joined, lesson({ evidence: ['run_1:7', 'run_2:3'], successes: 1, failures: 1, cause: '1.3' }))
  store.close()
  assert.equal(await store.lessons.list(), [joined])
})

for (const [name, open] of [
  ['in a file', () => ({ outcomes: store.outcomes, lessons: store.lessons })],
  ['of a process', () => ({ outcomes: new InMemoryOutcomes(), lessons: new InMemoryLessons() })],
] as const) {
  test(`outcomes and lessons ${name} are added, joined, ordered and removed alike`, async () => {
    const { outcomes, lessons } = open()
    await outcomes.add(outcome({ domain: 'Ops' }), 'run_1')
    await outcomes.add(outcome(), 'run_2')
    await outcomes.add(outcome({ domain: 'ops', success: false }), 'run_1')
    assert.equal(await outcomes.list(), [outcome({ domain: 'ops', success: false }), outcome()])
    assert.equal(await outcomes.list({ domain: 'general' }), [outcome()])
    await lessons.add(lesson({ advice: 'harms', failures: 5 }))
    await lessons.add(lesson({ trust: 'untrusted' }))
    const joined = await lessons.add(lesson({ evidence: ['run_2:3'], failures: 1 }))
    assert.equal(joined, lesson({ evidence: ['run_1:7', 'run_2:3'], successes: 2, failures: 1 }))
    assert.equal((await lessons.list())[0], joined)
    assert.equal(await lessons.list({ scope: 'tests' }), [])
    assert.ok(await lessons.remove(joined))
    assert.is((await lessons.list()).length, 1)
  })
}

test('the lessons that helped most come first, by scope where one is named', async () => {
  await store.lessons.add(lesson({ advice: 'harms', failures: 5 }))
  await store.lessons.add(lesson({ advice: 'helps', successes: 9, scope: 'tests' }))
  await store.lessons.add(lesson({ advice: 'untried', successes: 0 }))
  assert.equal(
    (await store.lessons.list()).map(({ advice }) => advice),
    ['helps', 'untried', 'harms'],
  )
  const [helps] = await store.lessons.list({ scope: 'tests' })
  assert.is(helps?.advice, 'helps')
  assert.ok(helps !== undefined && (await store.lessons.remove(helps)))
  assert.equal(await store.lessons.list({ scope: 'tests' }), [])
  assert.not.ok(await store.lessons.remove(lesson({ advice: 'never said' })))
})

test.run()
