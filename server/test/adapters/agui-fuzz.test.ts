/** Requests of AG-UI that nobody would send: each is answered as the protocol has it, and nothing breaks. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { openServer, serverSuite } from '../fixtures/open-server.ts'
import { createTally, FUZZ, mutated } from './mutated-requests.ts'

const test = serverSuite('mutated requests of AG-UI')
const tally = createTally()

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const base = { threadId: 't', runId: 'r', tools: [], context: [], state: { own: [1] }, forwardedProps: {} }
const call = { id: 'call_1', type: 'function', function: { name: 'paint', arguments: '{"colour":"green"}' } }

const GOOD = [
  {
    ...base,
    messages: [
      { id: '1', role: 'system', content: 'Be short.' },
      { id: '2', role: 'user', content: 'What is 6 times 7?' },
      { id: '3', role: 'assistant', content: 'I paint.', toolCalls: [call] },
      { id: '4', role: 'tool', toolCallId: 'call_1', content: 'painted' },
      { id: '5', role: 'assistant', content: 'Done.' },
      { id: '6', role: 'reasoning', content: 'hm' },
      { id: '7', role: 'user', content: [{ type: 'text', text: 'And 6 times 8?' }] },
    ],
    tools: [
      {
        name: 'paint',
        description: 'paints',
        parameters: { type: 'object', properties: { colour: { type: 'string' } } },
      },
    ],
    context: [{ description: 'page', value: 'sums' }],
  },
  {
    ...base,
    messages: [
      {
        id: '1',
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image', source: { type: 'data', value: pixel, mimeType: 'image/png' } },
        ],
      },
    ],
  },
  { ...base, threadId: 'asks', messages: [{ id: '1', role: 'user', content: 'Post a message to the team' }] },
  {
    ...base,
    threadId: 'asks',
    messages: [],
    resume: [{ interruptId: 'apr_01ARZ3NDEKTSV4RRFFQ69G5FAV', status: 'resolved', payload: { approved: true } }],
  },
]

test(`${FUZZ.requests} mutated requests: each stream ends with the end of a run, and nothing is the server's fault`, async () => {
  for (let sent = 0; sent < FUZZ.requests; sent += FUZZ.perServer) {
    const world = await openServer({
      script: postingScript,
      plugins: [posting()],
      config: { server: { limits: { queuedRuns: 100_000 } } },
    })
    const accept = fc.constantFrom('text/event-stream', 'text/event-stream', '', '*/*', 'application/json', 'a;q=x,')
    await fc.assert(
      fc.asyncProperty(mutated(GOOD), accept, async (body, accept) => {
        const { status, text } = await world.ask('POST', '/agui', { body, headers: { accept } })
        const seen = `${JSON.stringify(body)?.slice(0, 600)}: ${status} ${text.slice(0, 300)}`
        assert.ok(status < 500, seen)
        if (status !== 200) {
          tally.count(status)
          assert.is(typeof JSON.parse(text).message, 'string', seen)
          return
        }
        const types = text
          .trimEnd()
          .split('\n\n')
          .filter((frame) => frame.startsWith('data: '))
          .map((frame) => JSON.parse(frame.slice('data: '.length)).type as string)
        tally.count(`200 ${types.at(-1)}`)
        assert.is(types[0], 'RUN_STARTED', seen)
        assert.ok(['RUN_FINISHED', 'RUN_ERROR'].includes(types.at(-1) ?? ''), seen)
      }),
      { numRuns: Math.min(FUZZ.perServer, FUZZ.requests - sent), seed: (fc.readConfigureGlobal()?.seed ?? 0) + sent },
    )
    assert.is((await world.ask('GET', '/health')).status, 200)
    await world.close()
    tally.report('AG-UI')
  }
})

test.run()
