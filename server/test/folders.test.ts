/** Two servers of two folders that share a store: each has its own runs, and reads those of the other where all are asked for. */
import { definePlugin, type Run, type RunEvent, type SvcConfig } from '@svc/core'
import type { CreateRuntimeOptions } from '@svc/plugins'
import { createRemoteRuntime } from '@svc/sdk/remote'
import * as assert from 'uvu/assert'
import { missing, type Postgres, startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { makeFolder } from './fixtures/folder.ts'
import { type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'
import { until } from './fixtures/until.ts'

const test = serverSuite('servers of several folders')

const tools = definePlugin('sender', (host) =>
  host.tools.add('send', {
    id: 'send',
    description: 'sends',
    parameters: { type: 'object' },
    risk: 'network',
    run: async () => 'sent',
  }),
)

interface Shared {
  store?: SvcConfig['store']
  runtime: CreateRuntimeOptions
}

let postgres: Postgres | undefined
const stores: Record<string, () => Promise<Shared>> = {
  SQLite: async () => ({ runtime: { persist: { dir: makeFolder() } } }),
  // One process works on the runs of one project alone, and makes its own here.
  PostgreSQL: async () => {
    postgres ??= await startPostgres()
    return { store: { url: postgres.newDatabase() }, runtime: { claims: 'own' } }
  },
}
if (missing !== undefined) delete stores.PostgreSQL
test.after(() => postgres?.close())

async function twoServers({ store, runtime }: Shared): Promise<[OpenServer, OpenServer]> {
  const open = (space: string): Promise<OpenServer> =>
    openServer({
      script: ({ messages }) =>
        JSON.stringify(messages).includes('Send it')
          ? { toolCalls: [{ tool: 'send', args: {} }] }
          : 'The answer is 42.',
      plugins: [tools()],
      config: { store: { ...store, space } },
      runtime,
    })
  return [await open('/projects/a'), await open('/projects/b')]
}

const idsOf = ({ data }: Record<string, unknown>): string => (data as Run[]).map(({ id }) => id).join()

for (const [name, shared] of Object.entries(stores)) {
  test(`${name}: a run is listed, read and acted on by the server of its folder alone`, async () => {
    const [a, b] = await twoServers(await shared())
    const run = (await a.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is it?' } })).json as unknown as Run
    const { id } = run
    assert.is(run.space, '/projects/a')
    assert.is(idsOf((await a.ask('GET', '/v1/runs')).json), id)
    assert.is(idsOf((await b.ask('GET', '/v1/runs')).json), '')
    assert.is(idsOf((await b.ask('GET', '/v1/runs?all=1')).json), id)
    assert.is((await b.ask('GET', '/v1/runs-summary')).json.total, 0)
    assert.is((await b.ask('GET', '/v1/runs-summary?all=1')).json.total, 1)
    for (const part of ['', '/events', '/events/1', '/result', '/plan', '/usage', '/trace', '/log', `/diff/${id}`]) {
      const own = await b.ask('GET', `/v1/runs/${id}${part}`)
      assert.equal([own.status, own.json.code], [404, 'run_not_found'], part)
      assert.match(String(own.json.detail), /is of \/projects\/a/)
      assert.is((await b.ask('GET', `/v1/runs/${id}${part}?all=1`)).status, 200, part)
    }
    const acts: [string, string, object?][] = [
      ['DELETE', ''],
      ['POST', '/cancel', {}],
      ['POST', '/resume', {}],
      ['POST', '/fork', { atSeq: 1 }],
      ['POST', '/replay'],
      ['POST', '/undo', {}],
    ]
    for (const [method, part, body] of acts) {
      const { status } = await b.ask(method, `/v1/runs/${id}${part}`, { body })
      assert.is(status, 404, `${method} ${part}`)
      const { json } = await b.ask(method, `/v1/runs/${id}${part}?all=1`, { body })
      assert.is(json.code, 'validation_failed', `${method} ${part}: nothing is done elsewhere`)
    }
    assert.is((await a.ask('GET', `/v1/runs/${id}`)).status, 200)
  })

  test(`${name}: a client reads the runs of all folders, and hears of them`, async () => {
    const [a, b] = await twoServers(await shared())
    const remote = createRemoteRuntime({ serverUrl: b.url, env: {} })
    const [own, all]: [RunEvent[], RunEvent[]] = [[], []]
    let open = 0
    const onOpen = (): void => void open++
    remote.onRunEvent((event) => own.push(event), { onOpen })
    remote.onRunEvent((event) => all.push(event), { onOpen, all: true })
    await until(() => open === 2)
    const { id } = await a.runtime.runs.create({ task: 'What is it?' })
    await until(() => all.some(({ type }) => type === 'run.completed'))
    const mine = await b.runtime.runs.create({ task: 'What is it?' })
    await until(() => own.some(({ type }) => type === 'run.completed'))
    assert.equal([...new Set(own.map(({ runId }) => runId))], [mine.id])
    const far = { all: true }
    assert.is((await remote.runs.list(far)).data.length, 2)
    assert.is((await remote.runs.get(id, far)).space, '/projects/a')
    assert.is((await remote.runs.wait(id, 1_000, far)).status, 'completed')
    assert.ok(await remote.runs.result(id, far))
    const types: string[] = []
    for await (const { type } of remote.runs.events(id, far)) types.push(type)
    assert.is(types.at(-1), 'run.completed')
    assert.is((await remote.runs.diff(id, mine.id, far)).plan.length, 0)
    let bytes = 0
    for await (const chunk of remote.runs.export(id, far)) bytes += chunk.length
    assert.ok(bytes > 0)
    await remote.close()
  })

  test(`${name}: a question is answered by the server of its folder, and not once its run has ended`, async () => {
    const [a, b] = await twoServers(await shared())
    const { json } = await a.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Send it' } })
    const [asked] = (await a.ask('GET', '/v1/approvals?status=pending')).json.data as { id: string }[]
    assert.is(idsOf((await b.ask('GET', '/v1/approvals')).json), '')
    assert.is(idsOf((await b.ask('GET', '/v1/approvals?all=1')).json), asked?.id)
    const path = `/v1/approvals/${asked?.id}`
    assert.is((await b.ask('GET', path)).status, 404)
    assert.is((await b.ask('GET', `${path}?all=1`)).status, 200)
    assert.is((await b.ask('POST', path, { body: { decision: 'approve' } })).status, 404)
    await a.ask('POST', `/v1/runs/${json.id}/cancel`, { body: {} })
    await a.runtime.runs.wait(String(json.id))
    assert.is(idsOf((await a.ask('GET', '/v1/approvals?status=pending')).json), '')
    const late = await a.ask('POST', path, { body: { decision: 'approve' } })
    assert.equal([late.status, late.json.code], [409, 'approval_closed'])
  })

  test(`${name}: a conversation is listed, read and gone on with by the server of its folder alone`, async () => {
    const [a, b] = await twoServers(await shared())
    const { id, space } = (await a.ask('POST', '/v1/threads', { body: { title: 'of a' } })).json
    assert.is(space, '/projects/a')
    await a.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is it?', threadId: id } })
    assert.is(idsOf((await a.ask('GET', '/v1/threads')).json), id)
    assert.is(idsOf((await b.ask('GET', '/v1/threads')).json), '')
    assert.is(idsOf((await b.ask('GET', '/v1/threads?all=1')).json), id)
    for (const part of ['', '/messages']) {
      const own = await b.ask('GET', `/v1/threads/${id}${part}`)
      assert.equal([own.status, own.json.code], [404, 'thread_not_found'], part)
      assert.match(String(own.json.detail), /is of \/projects\/a/)
      assert.is((await b.ask('GET', `/v1/threads/${id}${part}?all=1`)).status, 200, part)
    }
    const acts: [string, string, object?][] = [
      ['PATCH', `/v1/threads/${id}`, { title: 'of b' }],
      ['POST', `/v1/threads/${id}/copy`, {}],
      ['DELETE', `/v1/threads/${id}`],
      ['POST', '/v1/runs', { task: 'What is it?', threadId: id }],
    ]
    for (const [method, path, body] of acts) {
      const { json } = await b.ask(method, path, { body })
      assert.is(json.code, 'thread_not_found', `${method} ${path}`)
      if (path === '/v1/runs') continue
      const { json: far } = await b.ask(method, `${path}?all=1`, { body })
      assert.is(far.code, 'validation_failed', `${method} ${path}: nothing is done elsewhere`)
    }
    const remote = createRemoteRuntime({ serverUrl: b.url, env: {} })
    assert.is((await remote.threads.get(String(id), { all: true })).title, 'of a')
    assert.is((await remote.threads.list({ all: true })).data.length, 1)
    assert.is((await remote.threads.messages(String(id), { all: true })).length, 2)
    await remote.close()
  })
}

test.run()
