import { createMemoryStore, type Lesson, type RecordSpace, type Store, type TaskComplexityAnalyzer } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { InMemoryLessons, InMemoryOutcomes, type Learning, StoredLessons, StoredOutcomes } from '../src/index.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { newFile, openStore } from './fixtures/run-rows.ts'

type Outcome = Parameters<TaskComplexityAnalyzer['record']>[0]

const test = suite('outcomes and lessons')

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

function learningIn(file: string): Learning & { close(): Promise<void> } {
  const store = openStore(file)
  return {
    outcomes: new StoredOutcomes(store, '/here'),
    lessons: new StoredLessons(store, '/here'),
    close: () => store.close(),
  }
}

test('what is no outcome is refused, and a damaged one is left out', async () => {
  const file = newFile()
  const { outcomes, close } = learningIn(file)
  for (const wrong of [{ success: 1 }, { topology: 'STAR' }, { quality: 2 }, { features: { steps: Number.NaN } }]) {
    const code = await outcomes.add({ ...outcome(), ...wrong } as Outcome).then(
      () => 'added',
      (thrown: { code?: string }) => thrown.code,
    )
    assert.is(code, 'validation_failed')
  }
  await outcomes.add(outcome())
  await outcomes.add(outcome({ topology: 'SINGLE' }))
  const db = new Sqlite(file)
  db.run("UPDATE records SET body = replace(body, 'PARALLEL', 'PARALLAX')")
  db.close()
  assert.equal(
    (await outcomes.list()).map(({ topology }) => topology),
    ['SINGLE'],
  )
  await close()
})

for (const [name, open] of [
  ['in a file', () => learningIn(newFile())],
  ['of a process', () => ({ outcomes: new InMemoryOutcomes(), lessons: new InMemoryLessons(), close: async () => {} })],
] as const) {
  test(`outcomes and lessons ${name} are added, joined, ordered and removed alike`, async () => {
    const { outcomes, lessons, close } = open()
    await outcomes.add(outcome({ domain: 'Ops' }), 'run_1')
    await outcomes.add(outcome(), 'run_2')
    await outcomes.add(outcome({ domain: 'ops', success: false }), 'run_1')
    assert.equal(await outcomes.list(), [outcome({ domain: 'ops', success: false }), outcome()])
    assert.equal(await outcomes.list({ domain: 'general' }), [outcome()])
    await lessons.add(lesson({ trust: 'untrusted' }))
    const joined = await lessons.add(lesson({ evidence: ['run_2:3'], successes: 0, failures: 1, cause: '1.3' }))
    assert.equal(joined, lesson({ evidence: ['run_1:7', 'run_2:3'], failures: 1, cause: '1.3' }))
    assert.equal(await lessons.list(), [joined])
    await lessons.add(lesson({ advice: 'harms', failures: 5 }))
    await lessons.add(lesson({ advice: 'helps', successes: 9, scope: 'tests' }))
    const listed = await lessons.list()
    assert.equal([listed[0]?.advice, listed[2]?.advice], ['helps', 'harms'])
    const [helps] = await lessons.list({ scope: 'tests' })
    assert.ok(helps !== undefined && (await lessons.remove(helps)))
    assert.equal(await lessons.list({ scope: 'tests' }), [])
    assert.not.ok(await lessons.remove(lesson({ advice: 'never said' })))
    await close()
  })
}

test('who is handed a lesson changes it for nobody else', async () => {
  const lessons = new InMemoryLessons()
  await lessons.add(lesson())
  const [handed] = await lessons.list()
  assert.throws(() => handed?.evidence.push('run_2:1'))
  assert.equal(await lessons.list(), [lesson()])
})

test('additions to a lesson are counted once each, however many there are and whatever cuts their folding off', async () => {
  const store = createMemoryStore()
  let isCut = false
  const records: Store['records'] = (kind, space) => {
    const all = store.records(kind, space) as RecordSpace<never>
    // As if the process were cut off there.
    return { ...all, remove: (ids) => (isCut ? Promise.reject(new Error('cut off')) : all.remove(ids)) }
  }
  const lessons = new StoredLessons({ records }, '/here')
  const count = async (): Promise<string> => {
    const all = await new StoredLessons(store, '/here').list()
    return all.map(({ successes, failures, evidence }) => `${successes} ${failures} ${evidence.length}`).join()
  }
  for (let run = 1; run <= 100; run++) {
    isCut = run % 3 === 0
    await lessons.add(lesson({ evidence: [`run_${run}:1`], failures: 1 }), `run_${run}`)
    await lessons.list().catch(({ message }) => assert.is(message, 'cut off'))
    if (run % 7 === 0) assert.is(await count(), `${run} ${run} ${Math.min(run, 20)}`)
  }
  assert.is(await count(), '100 100 20')
  const { data } = await store.records('lesson', '/here').all()
  assert.ok(data.length < 30, `${data.length} records of one lesson`)
  isCut = false
  assert.ok(await lessons.remove(lesson()))
  assert.equal((await store.records('lesson', '/here').all()).data, [])
})

test.run()
