/** A run with a hole in its log: what stands before it can be read, and a warning says that the rest is missing. */
import { join } from 'node:path'
import { SqliteStore } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { damageLog } from '../../plugins/test/fixtures/damage.ts'
import { makeFolder } from './fixtures/folder.ts'
import { type OpenServer, openServer } from './fixtures/open-server.ts'

const test = suite('a log with a hole')

interface Page {
  data: { seq?: number; type: string; data: unknown }[]
  hasMore: boolean
  nextCursor: string
}

let world: OpenServer
let id: string
let dir: string
/** Number of the last event before the hole. */
let last: number

test.before(async () => {
  dir = makeFolder()
  const file = join(dir, 'svc.db')
  world = await openServer({
    runtime: { store: new SqliteStore({ file }) },
    script: () => ({ error: new Error('no') }),
  })
  id = (await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Say something.' } })).json.id as string
  const whole = (await world.ask('GET', `/v1/runs/${id}/events?limit=1000`)).json as unknown as Page
  damageLog(file, 'hole')
  const { data } = (await world.ask('GET', `/v1/runs/${id}/events?limit=1000`)).json as unknown as Page
  last = data.at(-2)?.seq ?? 0
  assert.ok(last > 0 && last < whole.data.length - 1, `${last} of ${whole.data.length}`)
})
test.after(async () => {
  await world.close()
})

test('its row is served, and a page of its events ends with a warning where the hole begins', async () => {
  assert.is((await world.ask('GET', `/v1/runs/${id}`)).json.status, 'failed')
  const { data, hasMore } = (await world.ask('GET', `/v1/runs/${id}/events?limit=1000&types=tool.*`))
    .json as unknown as Page
  assert.equal(data.at(-1)?.data, { code: 'log_corrupt' })
  assert.is(data.at(-1)?.type, 'stream.warning')
  assert.is(hasMore, false)
  const first = (await world.ask('GET', `/v1/runs/${id}/events?limit=1`)).json as unknown as Page
  assert.equal(
    first.data.map(({ seq }) => seq),
    [1],
  )
  assert.is(first.hasMore, true)
})

test('a stream of its events ends in good order after the warning', async () => {
  const { text } = await world.ask('GET', `/v1/runs/${id}/events`, { headers: { accept: 'text/event-stream' } })
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
  assert.equal(
    ids,
    Array.from({ length: last }, (_, index) => index + 1),
  )
  assert.match(text, /event: stream\.warning\ndata: .*"code":"log_corrupt".*\n\nevent: end/)
})

test('it can be exported up to the hole, and such a file is not imported', async () => {
  const { status, text } = await world.ask('GET', `/v1/runs/${id}/log`)
  assert.is(status, 200)
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.is(lines.filter(({ seq }) => seq !== undefined).length, last)
  assert.equal(
    lines.find((line) => 'damaged' in line),
    { damaged: { code: 'log_corrupt', after: last } },
  )
  const again = await openServer()
  const imported = await again.runtime.runs.import(bytesOf(text)).catch((thrown: Error) => thrown)
  assert.match(String(imported), /was damaged when it was exported/)
  await again.close()
})

test('what needs all of it says log_corrupt: usage, a replay, a fork, and a run that would go on from it', async () => {
  for (const [method, part, body] of [
    ['GET', 'usage'],
    ['POST', 'replay'],
    ['POST', 'fork', { atSeq: 1 }],
    ['POST', 'resume', {}],
  ] as const) {
    const answered = await world.ask(method, `/v1/runs/${id}/${part}`, body && { body })
    assert.is(answered.json.code, 'log_corrupt', part)
  }
  const { json } = await world.ask('GET', '/v1/runs')
  assert.is((json.data as unknown[]).length, 1, 'no run was made')
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

test.run()
