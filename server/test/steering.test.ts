/** Saying something to a run at work, over HTTP: by curl's means, and by the SDK. */
import { createRemoteRuntime } from '@svc/sdk/remote'
import * as assert from 'uvu/assert'
import type { ScopedKey } from '../src/index.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('steering over HTTP')

const KEYS: ScopedKey[] = [
  { name: 'ci', key: 'ci-key', scopes: ['submit'] },
  { name: 'bot', key: 'bot-key', scopes: ['submit'] },
]

/** A server whose model answers the first call of a run when it is let. */
async function openSlow() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const world = await openServer({
    server: { keys: () => KEYS },
    script: async ({ messages }) => {
      if (JSON.stringify(messages).includes('In blue')) return 'A blue lamp.'
      await opened
      return 'A lamp.'
    },
  })
  return { world, open }
}

test('a message is answered as it is kept, once for its key, and read by the agent', async () => {
  const { world, open } = await openSlow()
  const as = (key: string, more = {}) => ({ 'x-api-key': key, ...more })
  const { json: run } = await world.askAs(as('ci-key'), 'POST', '/v1/runs', { task: 'Name a lamp', reflect: false })
  const at = `/v1/runs/${run.id}/messages`
  const say = () => world.askAs(as('ci-key', { 'idempotency-key': 'once' }), 'POST', at, { text: 'In blue, please.' })
  const [first, again] = [await say(), await say()]
  assert.is(first.status, 202)
  assert.equal([first.json.text, first.json.by], ['In blue, please.', 'ci'])
  assert.equal(again.json, first.json)
  assert.is((await world.askAs(as('bot-key'), 'POST', at, { text: 'In red.' })).json.code, 'run_not_found')
  open()
  const ended = await world.askAs(as('ci-key'), 'GET', `/v1/runs/${run.id}?wait=60000&include=result`)
  assert.equal([ended.json.status, ended.json.messages], ['completed', [first.json]])
  assert.is((ended.json.result as { summary: string }).summary, 'A blue lamp.')
  const late = await world.askAs(as('ci-key'), 'POST', at, { text: 'And cheap.' })
  assert.equal([late.status, late.json.code], [409, 'invalid_transition'])
  assert.match(String(late.json.detail), /is completed: what is to be done now is the task of a new run/)
})

test('a remote runtime says it, and follows that it was read', async () => {
  const { world, open } = await openSlow()
  const client = createRemoteRuntime({ serverUrl: world.url, serverKey: 'ci-key' })
  const { id } = await client.runs.create({ task: 'Name a lamp' })
  const message = await client.runs.steer(id, { text: 'In blue, please.' })
  assert.equal((await client.runs.get(id)).unread, [message])
  open()
  const read = []
  for await (const event of client.runs.events(id))
    if (event.type === 'agent.steered') read.push(...event.data.messages)
  assert.equal(read, [message])
  await client.close()
})

test.run()
