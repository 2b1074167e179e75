/** A run that goes on in another process counts there, and no more where it was. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Sqlite } from '../../plugins/src/stores/sqlite/file/sqlite.ts'
import { type OpenServer, openServer } from './fixtures/open-server.ts'
import { until } from './fixtures/until.ts'

const test = suite('metrics of runs that move')

const body = { task: 'What is 6 times 7?' }
const dir = mkdtempSync(join(tmpdir(), 'svc-metrics-'))
test.after(() => rmSync(dir, { recursive: true, force: true }))

/** Runs that a server says it has, by status, and the depth of its queue. */
async function countsOf(world: OpenServer): Promise<Record<string, number>> {
  const { text } = await world.ask('GET', '/metrics')
  const counts: Record<string, number> = {}
  for (const [, status = '', count] of text.matchAll(/^svc_runs_active\{status="(\w+)"\} (\d+)$/gm))
    counts[status] = Number(count)
  counts.depth = Number(/^svc_queue_depth (\d+)$/m.exec(text)?.[1])
  return counts
}

const NONE = { queued: 0, running: 0, waiting: 0, cancelling: 0, depth: 0 }

test('a run whose lease another process has taken is at work there', async () => {
  const persist = { dir: join(dir, 'lease') }
  const world = await openServer({ script: () => new Promise(() => {}), runtime: { persist, leaseMs: 3_000 } })
  await world.ask('POST', '/v1/runs', { body })
  await until(async () => (await countsOf(world)).running === 1)
  const db = new Sqlite(join(persist.dir, 'svc.db'))
  db.run("UPDATE runs SET epoch = epoch + 1, owner = 'other', process = NULL, expires_at = ?", [Date.now() + 1e9])
  db.close()
  await until(async () => (await countsOf(world)).running === 0)
  assert.equal(await countsOf(world), NONE)
  await world.close()
})

test('a run that is taken in here and worked on elsewhere leaves the queue of this process', async () => {
  const persist = { dir: join(dir, 'queue') }
  const front = await openServer({ runtime: { persist, claims: 'none' } })
  const { id } = (await front.ask('POST', '/v1/runs', { body })).json
  assert.equal(await countsOf(front), { ...NONE, queued: 1, depth: 1 })
  const worker = await openServer({ runtime: { persist } })
  await worker.runtime.runs.wait(id as string)
  await until(async () => (await countsOf(front)).depth === 0)
  assert.equal(await countsOf(front), NONE)
  assert.equal(await countsOf(worker), NONE)
  const { text } = await worker.ask('GET', '/metrics')
  assert.match(text, 'svc_runs_total{mode="execute",status="completed"} 1')
  await Promise.all([worker.close(), front.close()])
})

test.run()
