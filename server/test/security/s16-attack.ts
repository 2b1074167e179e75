/** Keys in every place where one can be, a world in which all that can go wrong repeats them, and all that can be read of it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { definePlugin, type Tool } from '@svc/core'
import { openServer } from '../fixtures/open-server.ts'

/** A key for each place that it is put in. */
export const CANARIES = {
  service: 'canary-Service-1+/x',
  provider: 'canary-Provider-2 "q"',
  namedByConfig: 'canary-Named-3',
  header: 'canary-Header-4',
  query: 'canary-Query-5',
  address: 'canary-Address-6',
  proxy: 'canary-Proxy-7',
  collector: 'canary-Collector-8',
  toolHeader: 'canary-Tool-9',
  byHand: 'canary-ByHand-10',
  variable: 'canary-Variable-11',
} as const

const encoded = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  Buffer.from(text).toString('base64'),
  Buffer.from(`user:${text}`).toString('base64'),
  Buffer.from(text).toString('base64url'),
  Buffer.from(text).toString('hex'),
]
const ALL = Object.values(CANARIES).flatMap(encoded)
const SAID = `it was ${JSON.stringify(ALL)} ${ALL.join(' ')}`

/** Which keys stand in a text, in whatever form. */
export const findIn = (text: string): string[] =>
  Object.entries(CANARIES)
    .filter(([, value]) => [...encoded(value), JSON.stringify(value).slice(1, -1)].some((form) => text.includes(form)))
    .map(([name]) => name)

const tool = (id: string, run: Tool['run']): Tool => ({
  id,
  description: id,
  parameters: { type: 'object' },
  risk: 'read',
  run,
})
const leaky = definePlugin('leaky', ({ tools, hooks }) => {
  tools.add(
    'throws',
    tool('throws', async () => {
      throw new Error(SAID, { cause: new Error(SAID) })
    }),
  )
  tools.add(
    'returns',
    tool('returns', async (_, { log, output }) => {
      log(SAID)
      output(SAID)
      return { env: { KEY: SAID }, [CANARIES.variable]: 1 }
    }),
  )
  tools.add(
    'prints',
    tool('prints', async () => SAID.repeat(200)),
  )
  hooks.reflect.tap('leaky', () => {
    throw new Error(SAID)
  })
})

/** Where a key was found: the place, and whose. */
export type Found = Record<string, string[]>

export async function attack(): Promise<Found> {
  let sent = ''
  const echo = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (request.url?.startsWith('/v1/traces')) {
        sent += body
        return void response.end('{}')
      }
      const message = `refused: ${JSON.stringify(request.headers)} ${request.url} ${SAID}`
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
    })
  })
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  const { port } = echo.address() as AddressInfo
  const lines: unknown[] = []
  const calls = ['throws', 'returns', 'prints'].map((name) => ({ tool: name, args: {} }))
  const world = await openServer({
    script: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: calls }),
    plugins: [leaky()],
    config: {
      telemetry: { otlp: `http://127.0.0.1:${port}`, content: true },
      providers: {
        house: {
          type: 'openai',
          baseUrl: `http://127.0.0.1:${port}/v1`,
          apiKeyEnv: 'HOUSE',
          headers: { 'x-house': CANARIES.header, 'x-team': '{env:TEAM}' },
          query: { code: CANARIES.query },
          models: { small: {} },
        },
        far: { type: 'openai', baseUrl: `http://me:${CANARIES.address}@127.0.0.1:${port}/v1`, models: { small: {} } },
      },
      tools: {
        weather: {
          description: 'x',
          parameters: { type: 'object' },
          risk: 'network',
          http: {
            method: 'GET',
            url: 'https://weather.example/',
            hosts: ['weather.example'],
            headers: { 'x-plan': CANARIES.toolHeader },
          },
        },
      },
    },
    runtime: {
      apiKeys: { far: CANARIES.byHand },
      env: {
        SERVICE_API_KEY: `${CANARIES.service},another`,
        HOUSE: CANARIES.provider,
        HOUSE_API_KEY: CANARIES.provider,
        TEAM: CANARIES.namedByConfig,
        HTTPS_PROXY: `http://me:${encodeURIComponent(CANARIES.proxy)}@127.0.0.1:9`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-collector=${CANARIES.collector}`,
        DEPLOY_TOKEN: CANARIES.variable,
      },
    },
    server: { keys: () => [CANARIES.service], log: (line) => lines.push(line) },
  })
  const headers = { authorization: `Bearer ${CANARIES.service}` }
  const events: unknown[] = []
  world.runtime.onEvent((event) => events.push(event))
  const texts: Record<string, string> = {}
  const make = async (model: string): Promise<string> => {
    const body = { task: 'Use the tools.', model, topology: 'SINGLE' }
    const answered = await world.ask('POST', '/v1/runs?wait=60000', { body, headers })
    texts[`run with ${model}`] = answered.text
    const executed = await world.ask('POST', '/execute', { body: { task: 'x', options: { model } }, headers })
    texts[`execute with ${model}`] = executed.text
    return answered.json.id as string
  }
  const ids = [await make('scripted/scripted'), await make('house/small'), await make('far/small')]
  const paths =
    '/health /metrics /openapi.json /readyz?verbose /v1/config /v1/providers /v1/models /v1/plugins /v1/tools /v1/inspect /v1/runs /v1/memory /v1/nothing'
  const parts = ['', '?include=result,plan', '/events', '/result', '/plan', '/usage', '/trace', '/log']
  for (const path of [...paths.split(' '), ...ids.flatMap((id) => parts.map((part) => `/v1/runs/${id}${part}`))])
    texts[path.replace(/run_\w+/, ':id')] += (await world.ask('GET', path, { headers })).text
  for (const id of ids) {
    const accept = { ...headers, accept: 'text/event-stream' }
    texts.stream += await (await fetch(`${world.url}/v1/runs/${id}/events`, { headers: accept })).text()
    for await (const bytes of world.runtime.runs.export(id)) texts.export += Buffer.from(bytes).toString()
  }
  await world.ask('GET', `/v1/runs?token=${CANARIES.service}`, { headers: { authorization: 'Bearer wrong' } })
  await world.close()
  echo.close()
  Object.assign(texts, { lines: JSON.stringify(lines), heard: JSON.stringify(events), traces: sent })
  if (!sent.includes('resourceSpans')) throw new Error('no trace was sent')
  return Object.fromEntries(
    Object.entries(texts)
      .map(([place, text]) => [place, findIn(text)] as const)
      .filter(([, found]) => found.length > 0),
  )
}
