/** Spans of runs reach a real collector in the shape of OTLP, without content and secrets, and disturb no run. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore, definePlugin, type Runtime, type SvcConfig, type Tool } from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CreateRuntimeOptions, createRuntime } from '../src/index.ts'
import { createExporter } from '../src/telemetry/create-exporter.ts'
import { sendJson, startFakeServer } from './fixtures/fake-server.ts'
import { checkOtlp, type SentSpan, spansIn, textOf } from './fixtures/otlp.ts'
import { settled, until } from './fixtures/until.ts'

const test = suite('telemetry')

interface Collector {
  url: string
  requests: { path: string; headers: IncomingHttpHeaders; body: unknown }[]
  close(): Promise<void>
}

/** @param answer status of the request of this number, with headers */
async function collect(
  answer: (index: number) => { status: number; headers?: Record<string, string> } | 'hang' = () => ({ status: 200 }),
): Promise<Collector> {
  const requests: Collector['requests'] = []
  const server: Server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text || '{}') })
      const said = answer(requests.length - 1)
      if (said !== 'hang') response.writeHead(said.status, said.headers).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const SECRET = 'canary"key-4711'
const read: Tool = {
  id: 'read_notes',
  description: 'reads the notes',
  parameters: { type: 'object', properties: { which: { type: 'string' } } },
  risk: 'read',
  run: async () => `The notes say TOOLWORD and ${SECRET}.`,
}

const script: Script = ({ messages }) => {
  if (messages.some(({ role }) => role === 'tool'))
    return {
      text: 'The ANSWERWORD is 42.',
      usage: { inputTokens: 120, outputTokens: 8, cachedTokens: 100, reasoningTokens: 3 },
    }
  return { toolCalls: [{ tool: 'read_notes', args: { which: 'ARGUMENTWORD' } }] }
}

async function open(
  telemetry: NonNullable<SvcConfig['telemetry']>,
  options: CreateRuntimeOptions = {},
  answer: Script = script,
): Promise<Runtime> {
  const parts = definePlugin('parts', ({ providers, tools }) => {
    providers.add('scripted', scriptedProvider('scripted', answer))
    tools.add('read_notes', read)
  })
  const config: SvcConfig = { model: 'scripted/scripted', telemetry, agents: {}, persistSessions: false }
  return createRuntime(config, { env: { HOUSE_API_KEY: SECRET }, drainMs: 100, plugins: [parts()], ...options })
}

const run = async (runtime: Runtime, traceparent?: string): Promise<string> => {
  const { id } = await runtime.runs.create(
    { task: 'What do the notes say of TASKWORD?', topology: 'SINGLE' },
    traceparent === undefined ? {} : { traceparent },
  )
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  return id
}

const named = (spans: readonly SentSpan[], name: RegExp): SentSpan => {
  const found = spans.find((span) => name.test(span.name))
  assert.ok(found, `${name} in ${spans.map((span) => span.name).join(', ')}`)
  return found as SentSpan
}

test('the spans of a run arrive as OTLP writes them, named by the conventions, when it has ended', async () => {
  const collector = await collect()
  const runtime = await open(
    { otlp: collector.url },
    {
      env: {
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue%20team,broken,authorization=Bearer abc',
        OTEL_SERVICE_NAME: 'assistant',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    },
  )
  const id = await run(runtime)
  await runtime.close()
  const [request] = collector.requests
  assert.is(collector.requests.length, 1)
  assert.is(request?.path, '/v1/traces')
  assert.is(request?.headers['content-type'], 'application/json')
  assert.is(request?.headers['x-team'], 'blue team')
  assert.is(request?.headers.authorization, 'Bearer abc')
  assert.equal(checkOtlp(request?.body), [])
  const { spans, resource } = spansIn(request?.body)
  assert.is(resource['service.name'], 'assistant')
  assert.is(resource['deployment.environment.name'], 'test')
  const root = named(spans, /^invoke_workflow svc$/)
  const agent = named(spans, /^invoke_agent /)
  const chat = named(spans, /^chat scripted$/)
  const tool = named(spans, /^execute_tool read_notes$/)
  assert.is(root.attributes['svc.run.id'], id)
  assert.is(root.parentSpanId, undefined)
  assert.is(agent.parentSpanId, root.spanId)
  assert.is(chat.parentSpanId, agent.spanId)
  assert.is(tool.parentSpanId, agent.spanId)
  assert.equal([root.kind, agent.kind, chat.kind, tool.kind], [1, 1, 3, 1])
  assert.is(named(spans, /^plan$/).attributes['gen_ai.operation.name'], 'plan')
  const last = spans.filter(({ name }) => name === 'chat scripted').at(-1)?.attributes ?? {}
  assert.is(last['gen_ai.operation.name'], 'chat')
  assert.is(last['gen_ai.provider.name'], 'scripted')
  assert.is(last['gen_ai.request.model'], 'scripted')
  assert.equal(last['gen_ai.response.finish_reasons'], ['stop'])
  assert.is(last['gen_ai.usage.input_tokens'], 120)
  assert.is(last['gen_ai.usage.cache_read.input_tokens'], 100)
  assert.is(last['gen_ai.usage.reasoning.output_tokens'], 3)
  assert.equal(chat.attributes['gen_ai.response.finish_reasons'], ['tool_calls'])
  assert.is(tool.attributes['gen_ai.tool.name'], 'read_notes')
  assert.is(tool.attributes['gen_ai.tool.type'], 'function')
  assert.type(tool.attributes['gen_ai.tool.call.id'], 'string')
  assert.type(agent.attributes['gen_ai.agent.name'], 'string')
  await collector.close()
})

/** An answer in each wire format at once, with the vendor's id. */
const ANSWER = {
  id: 'answer-1',
  choices: [{ message: { content: 'Oslo' }, finish_reason: 'stop' }],
  status: 'completed',
  output: [{ type: 'message', content: [{ text: 'Oslo' }] }],
  content: [{ type: 'text', text: 'Oslo' }],
  stop_reason: 'end_turn',
  usage: { prompt_tokens: 9, completion_tokens: 2, input_tokens: 9, output_tokens: 2 },
}

test('a call names the server that it went to, and what the vendor calls the answer, in every wire format', async () => {
  const vendor = await startFakeServer()
  const collector = await collect()
  const { host, port } = new URL(vendor.url)
  vendor.answer((response) => sendJson(response, ANSWER))
  for (const type of ['openai', 'openai-responses', 'anthropic']) {
    const runtime = await createRuntime(
      {
        model: 'mine/small',
        persistSessions: false,
        telemetry: { otlp: collector.url },
        providers: { mine: { type, baseUrl: `http://someone:canary-word@${host}/v1`, defaultModel: 'small' } },
      },
      { env: {}, drainMs: 100 },
    )
    const { id: runId } = await runtime.runs.create({ task: 'Name it.', topology: 'SINGLE' }, { deltas: false })
    assert.is((await runtime.runs.wait(runId)).status, 'completed', type)
    await runtime.close()
    const { body } = collector.requests.at(-1) ?? {}
    assert.equal(checkOtlp(body), [])
    const { attributes } = named(spansIn(body).spans, /^chat small$/)
    assert.is(attributes['gen_ai.response.id'], ANSWER.id, type)
    assert.is(attributes['server.address'], '127.0.0.1')
    assert.is(attributes['server.port'], Number(port))
    assert.not.match(JSON.stringify(body), 'canary-word')
  }
  await collector.close()
  await vendor.close()
})

test('what was said is sent only where it is asked for, and never a secret', async () => {
  const collector = await collect()
  for (const content of [false, true]) {
    const runtime = await open({ otlp: `${collector.url}/v1/traces`, content })
    await run(runtime)
    await runtime.close()
  }
  const [without = '', withContent = ''] = collector.requests.map(({ body }) => textOf(body))
  for (const word of ['TASKWORD', 'ARGUMENTWORD', 'TOOLWORD', 'ANSWERWORD']) {
    assert.not.match(without, word)
    assert.match(withContent, word)
  }
  assert.not.match(withContent, 'canary')
  assert.match(withContent, '[redacted]')
  await collector.close()
})

test('a run stands below its caller, and one whose caller records nothing is not sent', async () => {
  const collector = await collect()
  const runtime = await open({ otlp: collector.url })
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  await run(runtime, `00-${trace}-00f067aa0ba902b7-00`)
  await run(runtime, `00-${trace}-00f067aa0ba902b7-01`)
  await runtime.close()
  const { spans } = spansIn(collector.requests[0]?.body)
  const roots = spans.filter(({ name }) => name === 'invoke_workflow svc')
  assert.is(roots.length, 1)
  assert.is(roots[0]?.traceId, trace)
  assert.is(roots[0]?.parentSpanId, '00f067aa0ba902b7')
  await collector.close()
})

test('what fails is an error with our code, also of the run', async () => {
  const collector = await collect()
  const runtime = await open({ otlp: collector.url }, {}, () => ({ error: new Error('broken') }))
  const { id } = await runtime.runs.create({ task: 'Say something' })
  assert.is((await runtime.runs.wait(id)).status, 'failed')
  await runtime.close()
  const { spans } = spansIn(collector.requests[0]?.body)
  for (const name of [/^invoke_workflow svc$/, /^chat scripted$/]) {
    assert.is(named(spans, name).status.code, 2)
    assert.is(named(spans, name).attributes['error.type'], 'provider_bad_response')
  }
  await collector.close()
})

test('a run that goes on in another process is sent once and whole, by the one where it ends', async () => {
  const collector = await collect()
  const store = createMemoryStore()
  const hang: Script = () => new Promise<never>(() => {})
  const first = await open({ otlp: collector.url }, { store, leaseMs: 500 }, hang)
  const { id } = await first.runs.create({ task: 'What do the notes say?', topology: 'SINGLE' })
  await until(async () => (await store.events.list(id)).some(({ type }) => type === 'model.started'))
  await first.close()
  assert.is(collector.requests.length, 0)
  const second = await open({ otlp: collector.url }, { store, leaseMs: 500 })
  assert.is((await second.runs.wait(id)).status, 'completed')
  await second.close()
  assert.is(collector.requests.length, 1)
  assert.equal(checkOtlp(collector.requests[0]?.body), [])
  const { spans } = spansIn(collector.requests[0]?.body)
  assert.is(spans.filter(({ name }) => name === 'invoke_workflow svc').length, 1)
  assert.ok(spans.filter(({ name }) => name === 'chat scripted').length >= 3)
  await collector.close()
})

test('a collector that is busy is asked again, and no other address that it names', async () => {
  const other = await collect()
  const busy = await collect((index) => ({ status: index === 0 ? 503 : 200, headers: { 'retry-after': '1' } }))
  const away = await collect(() => ({ status: 307, headers: { location: `${other.url}/v1/traces` } }))
  await Promise.all(
    [busy, away].map(async ({ url }) => {
      const runtime = await open({ otlp: url }, { env: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer abc' } })
      await run(runtime)
      await runtime.close()
    }),
  )
  assert.is(busy.requests.length, 2)
  assert.ok(away.requests.length >= 1)
  assert.is(other.requests.length, 0)
  for (const collector of [other, busy, away]) await collector.close()
})

test('a collector that is down, refuses or hangs disturbs no run, is reported once, and does not keep the runtime from closing', async () => {
  const said: string[] = []
  const listen = (warning: Error): void => void said.push(warning.message)
  process.on('warning', listen)
  const refusing = await collect(() => ({ status: 400 }))
  const hanging = await collect(() => 'hang')
  await Promise.all(
    ['http://127.0.0.1:9', refusing.url, hanging.url].map(async (url) => {
      const reports = () => said.filter((message) => message.includes(`traces are not sent to ${url}`))
      const runtime = await open({ otlp: url })
      await run(runtime)
      await until(() => (url === hanging.url ? hanging.requests.length > 0 : reports().length > 0))
      await run(runtime)
      await runtime.close() // though the last of them never answers
      await settled()
      assert.is(reports().length, 1, `${url}: ${said.join('; ')}`)
    }),
  )
  process.off('warning', listen)
  await refusing.close()
  await hanging.close()
})

test('without an address nobody listens', () => {
  assert.is(
    createExporter({}, {}, (text) => text),
    undefined,
  )
})

test.run()
