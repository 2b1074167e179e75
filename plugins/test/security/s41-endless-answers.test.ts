/** S41: a model server that sends without an end, or too much, holds neither a run nor the memory of its process. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../../src/index.ts'
import { chatEvents, type FakeServer, startFakeServer } from '../fixtures/fake-server.ts'
import { folderOf } from '../fixtures/folder-of.ts'
import { endedRun, modelOf } from '../fixtures/runs.ts'

const test = suite('S41 endless answers')

let server: FakeServer
test.before(async () => {
  server = await startFakeServer()
})
test.after(() => server.close())

/** How a run ends whose model answers so. Where nothing ends the answer, the run's own time does. */
async function run(answer: (response: ServerResponse) => unknown, timeoutMs = 120_000, type = 'openai') {
  server.answer(async (response) => {
    await answer(response)
  })
  const runtime = await createRuntime(
    { model: 'bad/one', providers: { bad: { type, baseUrl: `${server.url}/v1`, maxRetries: 0, timeoutMs } } },
    { env: {}, persist: false, workspace: folderOf({ 'notes.md': 'The crane is old.' }) },
  )
  const id = await endedRun(runtime, { task: 'Read the notes', topology: 'SINGLE', budget: { maxWallMs: 180_000 } })
  const { status, error, incomplete } = await runtime.runs.get(id)
  await runtime.close()
  return { status, code: error?.code ?? incomplete?.reason, message: error?.message ?? '' }
}

/** Sends a piece again and again until the other side has enough, or so often. */
async function flood(
  response: ServerResponse,
  piece: (at: number) => string | Uint8Array,
  most = Infinity,
  waitMs = 0,
) {
  const to = response.headersSent ? response : (response.socket ?? response)
  let wake = () => {}
  to.on('drain', () => wake()).on('close', () => wake())
  for (let at = 0; at < most && !to.destroyed; at++) {
    if (!to.write(piece(at))) await new Promise<void>((resolve) => (wake = resolve))
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

const open = (response: ServerResponse, headers = {}) =>
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
const ended = (response: ServerResponse, ...last: object[]) => response.end(chatEvents(...last))
const event = (delta: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: reason }],
})
const calls = (from: number, count: number) =>
  `data: ${JSON.stringify(
    event({
      tool_calls: Array.from({ length: count }, (_, at) => ({
        index: from + at,
        id: `call-${from + at}`,
        function: { name: 'calculate', arguments: '{"expression":"1+1"}' },
      })),
    }),
  )}\n\n`

const LARGE = 'x'.repeat(1_000_000)
const NOTE = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'

const TOO_MUCH: Record<string, (response: ServerResponse) => unknown> = {
  comments: (response) => flood(open(response), () => `: ${LARGE}\n`),
  'events without anything in them': (response) =>
    flood(open(response), () => 'data: {"choices":[]}\n\n'.repeat(50_000)),
  counts: (response) => flood(open(response), () => `data: {"usage":{"x":"${LARGE}"}}\n\n`),
  'gzip that holds nothing': (response) => {
    const empty = Buffer.concat(Array(50_000).fill(gzipSync('')))
    return flood(open(response, { 'content-encoding': 'gzip' }), () => empty)
  },
  'gzip that holds comments': (response) => {
    const much = gzipSync(`: ${LARGE}\n`.repeat(100))
    return flood(open(response, { 'content-encoding': 'gzip' }), () => much)
  },
  'text that may be a call': (response) =>
    flood(open(response), () => chatEvents(event({ content: `[ ${LARGE}` })).replace('data: [DONE]\n\n', '')),
  'calls without end': (response) => flood(open(response), (at) => calls(at * 10_000, 10_000)),
  'blanks before the text': (response) =>
    flood(open(response), () => chatEvents(event({ content: ' '.repeat(1_000_000) })).replace('data: [DONE]\n\n', '')),
  '20,000 calls in one answer': async (response) => {
    await flood(open(response), (at) => calls(at * 1_000, 1_000), 20)
    ended(response, event({}, 'tool_calls'))
  },
  'arguments of 50 MB': async (response) => {
    await flood(
      open(response),
      (at) =>
        `data: ${JSON.stringify(event({ tool_calls: [{ index: 0, id: 'a', function: { name: at === 0 ? 'read_file' : '', arguments: `${at === 0 ? '{"path":"' : ''}${LARGE}${at === 49 ? '"}' : ''}` } }] }))}\n\n`,
      50,
    )
    ended(response, event({}, 'tool_calls'))
  },
}

for (const [what, answer] of Object.entries(TOO_MUCH)) {
  test(`${what}: the answer ends, and the run with it`, async () => {
    const { code, message } = await run(answer)
    assert.is(code, 'provider_bad_response', message)
    assert.match(message, /more than \d+ (?:bytes|characters|tools)/)
  })
}

const TOO_SLOW: Record<string, (response: ServerResponse) => unknown> = {
  comments: (response) => flood(open(response), () => ': wait\n\n', Infinity, 20),
  'notes before the answer': (response) => flood(response, () => NOTE, Infinity, 20),
  'gzip that holds nothing': (response) =>
    flood(open(response, { 'content-encoding': 'gzip' }), () => gzipSync(''), Infinity, 20),
  'gzip that holds nothing, as one answer': (response) =>
    flood(
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      () => gzipSync(''),
      Infinity,
      20,
    ),
  'the text of an answer': (response) =>
    flood(response.writeHead(200, { 'content-type': 'application/json' }), () => ' ', Infinity, 20),
  'the text of an error': (response) => flood(response.writeHead(500), () => 'x', Infinity, 20),
}

for (const [what, answer] of Object.entries(TOO_SLOW)) {
  test(`${what}, slowly and without end: the answer is late`, async () => {
    assert.match((await run(answer, 1_000)).message, /took longer than 1000 ms|timed out/)
  })
}

test('what comes after the end of an answer takes nothing from it', async () => {
  const { status } = await run(async (response) => {
    open(response).write(chatEvents(event({ content: 'The crane is old.' }, 'stop')))
    await flood(response, () => `: ${LARGE}\n`)
  })
  assert.is(status, 'completed')
})

test('a field more in each piece of a call costs no more than the last', async () => {
  let at = 0
  const { status, code } = await run(async (response) => {
    const pieces = () =>
      Array.from(
        { length: 2_000 },
        () => `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","f${at++}":1}]}}]}\n\n`,
      )
    await flood(open(response), () => pieces().join(''), 30)
    ended(response, event({ content: 'It is done.' }, 'stop'))
  })
  // A call without a name is none.
  assert.equal([status, code], ['failed', 'provider_bad_response'])
})

test('a code provider that answers whole is held to the same', async () => {
  const many = Array.from({ length: 20_000 }, () => ({ tool: 'calculate', args: { expression: '1+1' } }))
  for (const answer of [{ toolCalls: many }, { toolCalls: [{ tool: 'read_file', args: { path: LARGE.repeat(9) } }] }]) {
    const runtime = await createRuntime(
      { model: 'scripted', plugins: [modelOf(() => answer)] },
      { env: {}, persist: false, workspace: folderOf() },
    )
    const id = await endedRun(runtime, { task: 'Read the notes', topology: 'SINGLE' })
    assert.is((await runtime.runs.get(id)).error?.code, 'provider_bad_response')
    await runtime.close()
  }
})

test('a long answer that comes slowly, with comments, in many small pieces and with many calls, is whole', async () => {
  let turn = 0
  const { status, code } = await run(async (response): Promise<unknown> => {
    open(response)
    for (let wait = 0; wait < 20; wait++) await flood(response, () => ': OPENROUTER PROCESSING\n\n', 1, 5)
    if (turn++ === 0) {
      await flood(response, (at) => calls(at, 1), 100)
      return ended(response, event({}, 'tool_calls'))
    }
    await flood(
      response,
      () => `data: ${JSON.stringify({ id: 'x'.repeat(200), ...event({ content: 'word ' }) })}\n\n`.repeat(500),
      40,
    )
    return ended(response, event({}, 'stop'))
  })
  assert.is(status, 'completed', code)
})

test.run()
