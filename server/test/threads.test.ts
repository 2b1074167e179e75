/** Conversations over HTTP: page by page from either end, and when they were last used. */
import { createRemoteRuntime } from '@svc/sdk/remote'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from './fixtures/open-server.ts'
import { until } from './fixtures/until.ts'

const test = serverSuite('conversations over HTTP')

test('messages come page by page, from the oldest or from the newest, none twice and none left out', async () => {
  const { runtime, url, ask } = await openServer({ script: () => 'The answer is 42.' })
  const { id } = await runtime.threads.create({ title: 'Sums' })
  for (let index = 1; index <= 5; index++) {
    const run = await runtime.runs.create({ task: `Question ${index}`, threadId: id })
    await runtime.runs.wait(run.id, 60_000)
  }
  const remote = createRemoteRuntime({ serverUrl: url })
  const all = await remote.threads.messages(id)
  assert.is(all.length, 10)
  for (const order of ['asc', 'desc'] as const) {
    const read: typeof all = []
    let after: string | undefined
    do {
      const page = await remote.threads.listMessages(id, { order, limit: 3, ...(after && { after }) })
      read.push(...page.data)
      after = page.nextCursor
    } while (after !== undefined)
    assert.equal(order === 'asc' ? read : read.reverse(), all, order)
  }
  const first = await ask('GET', `/v1/threads/${id}/messages?limit=1`)
  assert.match(first.text, 'Question 1', 'the oldest first, unless somebody asks otherwise')
  assert.match((await ask('GET', `/v1/threads/${id}/messages?order=up`)).text, 'order')
  assert.is((await ask('GET', `/v1/threads/${id}/messages?after=99`)).json.code, 'invalid_cursor')
  await remote.close()
})

test('a conversation says when a run of it was last asked for', async () => {
  const { runtime } = await openServer()
  const { id, updatedAt } = await runtime.threads.create({ title: 'Sums' })
  await until(() => new Date().toISOString() > updatedAt)
  const run = await runtime.runs.create({ task: 'What is 17% of 2340?', threadId: id })
  await until(async () => (await runtime.threads.get(id)).updatedAt > updatedAt)
  const after = await runtime.threads.get(id)
  assert.is(after.updatedAt, run.createdAt)
  assert.is(after.title, 'Sums')
  assert.is(after.version, 1, 'nobody changed it')
})

test('conversations are listed by when something happened in them, and a page goes on where the one before ended', async () => {
  const { runtime, url, ask } = await openServer()
  const ids: string[] = []
  for (let index = 0; index < 5; index++) {
    const { id, updatedAt } = await runtime.threads.create({ title: `Talk ${index}` })
    ids.push(id)
    await until(() => new Date().toISOString() > updatedAt)
  }
  const [oldest = '', second, third, fourth, newest] = ids
  await runtime.runs.create({ task: 'What is 17% of 2340?', threadId: oldest })
  await until(async () => (await runtime.threads.list({ order: 'activity', limit: 1 })).data[0]?.id === oldest)
  const remote = createRemoteRuntime({ serverUrl: url })
  const page = async (after?: string) => {
    const { data, nextCursor } = await remote.threads.list({ order: 'activity', limit: 2, ...(after && { after }) })
    return { ids: data.map(({ id }) => id), nextCursor }
  }
  const first = await page()
  assert.equal(first.ids, [oldest, newest])
  // What the cursor was made of is first by now, and what is to come as well.
  await runtime.threads.update(newest ?? '', { title: 'Changed' })
  const next = await page(first.nextCursor)
  assert.equal(next.ids, [fourth, third])
  assert.equal((await page(next.nextCursor)).ids, [second])
  assert.equal((await page()).ids, [newest, oldest])
  assert.is((await remote.threads.list()).data[0]?.id, newest, 'the newest first, unless somebody asks otherwise')
  const link = await ask('GET', '/v1/threads?order=activity&limit=2')
  assert.match(link.headers.get('link') ?? '', /order=activity/)
  assert.match((await ask('GET', '/v1/threads?order=up')).text, 'order')
  for (const after of [oldest, 'nowhere', '2026-01-01,x'])
    assert.is((await ask('GET', `/v1/threads?order=activity&after=${after}`)).json.code, 'invalid_cursor', after)
  const cursor = encodeURIComponent(String(first.nextCursor))
  assert.is((await ask('GET', `/v1/threads?after=${cursor}`)).json.code, 'invalid_cursor', 'of another order')
  await remote.close()
})

test.run()
