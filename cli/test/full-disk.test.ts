/** Runs can be removed from a disk that is full, and others go on in their room. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mountSmallDisk, type SmallDisk } from '../../plugins/test/fixtures/faults/small-disk.ts'
import { until } from '../../server/test/fixtures/until.ts'
import { json } from './fixtures/notes.ts'
import { begin, makeWorld, type Outcome, type Words } from './fixtures/world.ts'

const test = suite('a full disk')

const DISK_BYTES = 16_000_000

/** Does something with a disk of its own, where one can be mounted. */
async function withDisk(work: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = mountSmallDisk(DISK_BYTES)
  if (typeof disk === 'string') {
    console.log(disk)
    return
  }
  try {
    await work(disk)
  } finally {
    disk.close()
  }
}

const here = makeWorld()
const own = (disk: SmallDisk, args: Words): Promise<Outcome> =>
  begin(here, args, { env: { SVC_DATA_DIR: disk.dir } }).outcome

/** Leaves a memory. */
const run = ['run', '--json', 'What is 2 + 2?']
const analyze = ['analyze', '--json', 'How old is this folder?']

test('svc runs rm and prune remove runs where no process uses the store, and a new run has room', async () =>
  withDisk(async (disk) => {
    for (const args of [run, analyze, run]) assert.is((await own(disk, args)).code, 0)
    disk.fill(0)
    const listed = await own(disk, 'runs list --json')
    assert.is(listed.code, 0, listed.err)
    const { data } = json<{ data: { id: string }[] }>(listed)
    const removed = await own(disk, ['runs', 'rm', data[0]?.id ?? ''])
    assert.is(removed.code, 0, removed.err)
    const pruned = await own(disk, 'runs prune --older-than 0s --json')
    assert.is(pruned.code, 0, pruned.err)
    assert.is(json<{ runs: number }>(pruned).runs, 2)
    assert.equal(json<{ data: unknown[] }>(await own(disk, 'memory list --json')).data, [])
    const next = await own(disk, analyze)
    assert.is(next.code, 0, next.err)
  }))

test('DELETE removes a run from the store of a server, which then takes new runs', async () =>
  withDisk(async (disk) => {
    const serving = begin(here, 'serve -q --port 0', { env: { SVC_DATA_DIR: disk.dir } })
    let url = ''
    serving.child.stdout?.once('data', (text: string) => (url = text.trim()))
    await until(() => url !== '')
    const make = async (): Promise<[status: number, id: string]> => {
      const response = await fetch(`${url}/v1/runs?wait=60000`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ task: 'How old is this folder?', mode: 'analyze' }),
      })
      return [response.status, ((await response.json()) as { id: string }).id]
    }
    const [[, first], [, second]] = [await make(), await make()]
    const key = readFileSync(join(disk.dir, 'server.key'), 'utf8').trim()
    const { warnings } = (await (await fetch(`${url}/health`)).json()) as { warnings: { code: string }[] }
    assert.ok(
      warnings.some(({ code }) => code === 'disk_low'),
      'the server says that there is little room',
    )
    disk.fill(0)
    const statuses: number[] = []
    for (let status = 0; status !== 503; statuses.push(status)) [status] = await make()
    const remove = async (id: string): Promise<number> =>
      (await fetch(`${url}/v1/runs/${id}`, { method: 'DELETE', headers: { 'x-api-key': key } })).status
    assert.equal([await remove(first), await remove(second)], [204, 204])
    assert.is((await fetch(`${url}/v1/runs/${first}`)).status, 404)
    assert.ok((await make())[0] < 300)
    serving.child.kill('SIGTERM')
    await serving.outcome
  }))

test.run()
