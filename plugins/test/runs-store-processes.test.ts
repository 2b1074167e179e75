/** Runs that several processes work on: who hears of what, and what happens when one is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { RunChange, RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { created, eventOf, leased, newFile, newRow, openStore } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const test = suite('runs in SQLite and processes')

const started: ChildProcess[] = []
test.after(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** A process that works on the runs of a file and says what it does, a word a line. */
function startWorker(file: string): { child: ChildProcess; lines: string[]; gone: Promise<void> } {
  const child = spawn(process.execPath, [...argumentsFor(new URL('fixtures/run-worker.ts', import.meta.url)), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  const lines: string[] = []
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
  return { child, lines, gone: new Promise((resolve) => child.once('exit', () => resolve())) }
}

test('a watcher hears of what another handle does: of events, status, commands, release and removal', async () => {
  const file = newFile()
  const [store, other] = [openStore(file), openStore(file)]
  const lease = await leased(other)
  const heard: RunChange[] = []
  const all: string[] = []
  const stops = [store.watch('run_1', (_, change) => heard.push(change)), store.watch('*', (id) => all.push(id))]
  const hears = async (work: () => unknown, change: RunChange): Promise<void> => {
    heard.length = 0
    await work()
    await until(() => heard.includes(change))
  }
  await hears(() => other.commit(lease, { events: [eventOf('run_1', 1)] }), 'events')
  await hears(() => other.commit(lease, { run: { status: 'running' } }), 'any')
  await hears(() => other.command('run_1', { id: 'c', kind: 'cancel', reason: 'r', by: 'b' }), 'any')
  await hears(() => other.release(lease), 'any')
  assert.ok(all.includes('run_1'))
  await hears(() => other.runs.delete('run_1'), 'status')
  await other.create(newRow('run_2'), [created(newRow('run_2'))])
  await until(() => all.includes('run_2'))
  for (const stop of stops) stop()
  await store.close()
  await other.close()
})

test('a process works only on runs of its own folder, and cancels any', async () => {
  const file = newFile()
  const [here, there] = [openStore(file, { space: '/here' }), openStore(file, { space: '/there' })]
  await here.create(newRow('run_1'), [created(newRow('run_1'))])
  assert.equal(await there.claim('a', { limit: 9, ttlMs: 1_000 }), [])
  assert.is((await there.claim('a', { limit: 9, ttlMs: 1, only: 'run_1' })).length, 1)
  await until(async () => (await here.claim('a', { limit: 9, ttlMs: 1_000 })).length === 1)
  await here.close()
  await there.close()
})

test('runs whose process is killed again and again all end, with no recorded call made again and no event lost', async () => {
  const file = newFile()
  const store = openStore(file)
  const ids = Array.from({ length: 24 }, (_, n) => `run_${n}`)
  for (const id of ids) await store.create(newRow(id), [created(newRow(id))])
  const calls: string[] = []
  let seed = 1
  let kills = 0
  const isDone = async (): Promise<boolean> =>
    (await store.runs.list({ limit: 100 })).data.every(({ finishedAt }) => finishedAt !== undefined)
  for (let life = 0; life < 60 && !(await isDone()); life++) {
    const pair = [startWorker(file), startWorker(file)]
    // Each run gets on in each life: one that did not, five times in a row, would be given up.
    const enough = 24 + (seed % 20)
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    await until(async () => pair.reduce((sum, { lines }) => sum + lines.length, 0) >= enough || (await isDone()))
    for (const { child, gone, lines } of pair) {
      child.kill('SIGKILL')
      await gone
      calls.push(...lines)
    }
    kills += 2
  }
  const { data } = await store.runs.list({ limit: 100 })
  assert.equal(
    data.filter(({ status }) => status !== 'completed').map(({ error }) => error),
    [],
  )
  assert.ok(kills >= 4, `${kills} kills`)
  for (const id of ids) {
    const events = (await store.events.list(id)) as RunEvent[]
    assert.equal(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
    const steps = (await store.steps(id)).filter(({ state }) => state === 'done')
    for (let n = 0; n < 6; n++) {
      const recorded = calls.filter((line) => line === `${id} recorded m${n}`).length
      assert.ok(recorded <= 1, `${id} m${n} was made again ${recorded} times after it was recorded`)
      assert.ok(
        steps.some(({ key }) => key.endsWith(`m${n}`)),
        `${id} has m${n}`,
      )
      assert.is(
        events.filter(
          ({ type, data }) => type === 'message.completed' && JSON.stringify(data).includes(`answer m${n} `),
        ).length,
        1,
      )
    }
    assert.is(events.filter(({ type }) => type === 'run.completed').length, 1)
  }
  await store.close()
})

test.run()
