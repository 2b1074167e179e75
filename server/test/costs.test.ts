/** What runs took, over HTTP: who sees what, by whose calendar; and lists by verdict, model, folder and words of answers. */
import type { Run, RunCosts } from '@svc/core'
import { createRemoteRuntime } from '@svc/sdk/remote'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('costs and filters of runs')

const OWNER = 'owner-key'
const KEYS = [
  { name: 'ci', key: 'ci-key', scopes: ['submit'] as const },
  { name: 'bot', key: 'bot-key', scopes: ['submit'] as const },
]

test('each key gets what its own runs took, and one that is admin what all did', async () => {
  const dir = makeFolder()
  const opened = await openServer({
    runtime: { persist: { dir } },
    server: { keys: () => [OWNER, ...KEYS] },
    script: () => 'The Answer is 42.',
  })
  const as = (key: string) => (method: string, path: string, body?: object) =>
    opened.askAs({ 'x-api-key': key }, method, path, body)
  for (const key of ['ci-key', 'ci-key', 'bot-key'])
    await as(key)('POST', '/v1/runs?wait=60000', { task: 'What is it?', topology: 'SINGLE' })
  const runsOf = async (key: string, query = ''): Promise<[string, number][]> => {
    const { status, json } = await as(key)('GET', `/v1/costs${query}`)
    assert.is(status, 200)
    return (json as unknown as RunCosts).data.map(({ name, runs }) => [name, runs])
  }
  assert.equal(await runsOf('ci-key'), [['scripted/scripted', 2]])
  assert.equal(await runsOf('bot-key', '?all=1&by=model'), [['scripted/scripted', 1]])
  assert.equal(await runsOf(OWNER), [['scripted/scripted', 3]])
  assert.equal(await runsOf(OWNER, '?to=2020-01-01T00:00:00.000Z'), [])
  const { json } = await as(OWNER)('GET', '/v1/costs?per=month&by=folder&utcOffsetMinutes=60')
  const { data, ...asked } = json as unknown as RunCosts
  assert.equal(asked, { per: 'month', by: 'folder', utcOffsetMinutes: 60 })
  const summary = (await as(OWNER)('GET', '/v1/runs-summary')).json
  assert.equal([data.length, data[0]?.tokens, data[0]?.runs], [1, summary.tokens, 3])
  assert.match(data[0]?.start ?? '', /^\d{4}-\d\d-01$/)
  const wrong: Record<string, RegExp> = {
    'per=year': /per/,
    'by=agent': /by/,
    'from=yesterday-at-noon-or-so': /\/from must be a time such as/,
    'utcOffsetMinutes=2000': /utcOffsetMinutes/,
    'space=/elsewhere': /\/space names another folder/,
    'on=1': /on/,
  }
  for (const [query, says] of Object.entries(wrong)) {
    const answer = await as(OWNER)('GET', `/v1/costs?${query}`)
    assert.is(answer.status, 400, query)
    assert.match(answer.text, says)
  }
  assert.is((await as('ci-key')('GET', '/v1/runs?all=1&space=/elsewhere')).status, 400)
  await opened.close()
})

test('lists and summaries are narrowed by verdict, model, folder and what answers say', async () => {
  const dir = makeFolder()
  const open = (space: string) =>
    openServer({ runtime: { persist: { dir } }, config: { store: { space } }, script: () => 'The Capital is Lima.' })
  const [a, b] = [await open('/projects/a'), await open('/projects/b')]
  for (const opened of [a, b]) await opened.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Which is it?' } })
  const found = async (query: string): Promise<number[]> => {
    const { data } = (await a.ask('GET', `/v1/runs?${query}`)).json as unknown as { data: Run[] }
    return [data.length, Number((await a.ask('GET', `/v1/runs-summary?${query}`)).json.total)]
  }
  const { verdict = 'pass' } = ((await a.ask('GET', '/v1/runs')).json.data as Run[])[0] ?? {}
  assert.equal(await found(`verdict=${verdict}`), [1, 1])
  assert.equal(await found(`verdict=${verdict === 'fail' ? 'pass' : 'fail'}`), [0, 0])
  assert.equal(await found('model=scripted/scripted'), [1, 1])
  assert.equal(await found('model=scripted'), [0, 0])
  assert.equal(await found('q=capital&all=1'), [2, 2])
  assert.equal(await found('q=capital&all=1&space=/projects/b'), [1, 1])
  assert.is((await a.ask('GET', '/v1/runs?space=/projects/b')).status, 400)
  assert.is((await a.ask('GET', '/v1/runs?verdict=good')).status, 400)
  const remote = createRemoteRuntime({ serverUrl: a.url })
  const { data } = await remote.runs.list({ q: 'capital IS', verdict, model: 'scripted/scripted' })
  assert.equal(
    data.map((run) => run.found),
    [{ text: 'The Capital is Lima.', from: 4, to: 14 }],
  )
  assert.is((await remote.runs.list({ q: 'which' })).data[0]?.found, undefined)
  assert.equal(
    (await remote.runs.costs({ by: 'folder', all: true })).data.map(({ name }) => name),
    ['/projects/a', '/projects/b'],
  )
  const used = data[0]?.models?.[0]
  assert.is(used?.model, 'scripted/scripted')
  assert.is(
    (used?.inputTokens ?? 0) + (used?.outputTokens ?? 0),
    (data[0]?.usage.inputTokens ?? 0) + (data[0]?.usage.outputTokens ?? 0),
  )
  await remote.close()
  await a.close()
  await b.close()
})

test('without a store on disk costs are added up run by run', async () => {
  const opened = await openServer({ script: () => '42.' })
  await opened.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is it?' } })
  const { json } = await opened.ask('GET', '/v1/costs')
  assert.equal(
    (json as unknown as RunCosts).data.map(({ name, runs }) => [name, runs]),
    [['scripted/scripted', 1]],
  )
  await opened.close()
})

test.run()
