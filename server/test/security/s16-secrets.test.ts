/** S16: no key comes out of the server again, wherever it was put in. */
import { definePlugin, type Tool } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import type { LogLine } from '../../src/observe/http-log.ts'
import { openServer } from '../fixtures/open-server.ts'
import { attack, CANARIES, type Found } from './s16-attack.ts'

const test = suite('S16 secrets')

const SERVICE = 'canary-service-key-1'
const PROVIDER = 'canary-provider-key-2'
const HEADER = 'canary-header-key-3'
const CANARY = /canary-/

const broken: Tool = {
  id: 'broken',
  description: 'fails',
  parameters: { type: 'object' },
  risk: 'read',
  run: async () => {
    throw new Error('cannot open the file')
  },
}
const tools = definePlugin('broken', (host) => host.tools.add('broken', broken))

test('keys of the service and of providers are in no answer, event, metric or log line', async () => {
  const lines: LogLine[] = []
  const world = await openServer({
    script: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'It failed.' : { toolCalls: [{ tool: 'broken', args: {} }] },
    plugins: [tools()],
    config: {
      providers: {
        house: {
          type: 'openai',
          baseUrl: 'http://127.0.0.1:9/v1',
          apiKeyEnv: 'HOUSE_KEY',
          headers: { 'x-api-key': HEADER, authorization: `Bearer ${HEADER}` },
          models: { small: {} },
        },
      },
    },
    runtime: { env: { HOUSE_KEY: PROVIDER } },
    server: { keys: () => [SERVICE], log: (line) => lines.push(line) },
  })
  const headers = { authorization: `Bearer ${SERVICE}` }
  const { json: run } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Use the tool.' }, headers })
  const failed = await world.ask('POST', '/execute', {
    body: { task: 'x', options: { model: 'house/small' } },
    headers,
  })
  assert.is(failed.json.status, 'failed')
  const paths = [
    '/health',
    '/metrics',
    '/openapi.json',
    '/readyz?verbose',
    '/v1/config',
    '/v1/providers',
    '/v1/plugins',
    '/v1/tools',
    '/v1/inspect',
    '/v1/runs',
    '/v1/nothing',
  ]
  const parts = ['', '/events', '/result', '/plan', '/usage', '/trace', '/log'].map(
    (part) => `/v1/runs/${run.id}${part}`,
  )
  const texts = [failed.text]
  for (const path of [...paths, ...parts]) texts.push((await world.ask('GET', path, { headers })).text)
  const stream = await fetch(`${world.url}/v1/runs/${failed.json.runId}/events`, {
    headers: { ...headers, accept: 'text/event-stream' },
  })
  texts.push(await stream.text())
  for (const text of texts) assert.not.match(text, CANARY)
  assert.not.match(JSON.stringify(lines), CANARY)
  await world.close()
})

test('keys of every place and in every form are in nothing that leaves the process, though all parts repeat them', async () => {
  assert.equal(await attack(), {})
})

test('without the list of what is secret they are nearly everywhere', async () => {
  const found = (await attackWithout('server/test/security/s16-attack.ts', [
    {
      file: 'plugins/src/assembly/create-runtime.ts',
      name: 'redactorOf',
      weaken: '() => () => (text) => text',
    },
    { file: 'core/src/support/secrets.ts', name: 'redact', weaken: '() => (value) => value' },
  ])) as Found
  const all = Object.keys(CANARIES)
  for (const place of ['/v1/runs/:id/events', '/v1/runs/:id/result', '/v1/runs/:id/log', 'stream', 'export', 'traces'])
    assert.equal(found[place], all, place)
  assert.equal(found['/v1/config'], ['header', 'query', 'address', 'toolHeader'])
})

test('a wrong key is in no answer and no log line either', async () => {
  const lines: LogLine[] = []
  const world = await openServer({ server: { keys: () => [SERVICE], log: (line) => lines.push(line) } })
  const headers = { authorization: 'Bearer canary-wrong-key' }
  const { status, text } = await world.ask('GET', '/v1/runs?token=canary-in-query', { headers })
  assert.is(status, 401)
  assert.not.match(text, CANARY)
  assert.not.match(JSON.stringify(lines), CANARY)
  await world.close()
})

test.run()
