/** What a model thought goes back unchanged while it calls tools, to servers that refuse a conversation without it. */
import type { ServerResponse } from 'node:http'
import { definePlugin, type ProviderConfig } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../../src/index.ts'
import {
  chatEvents,
  type FakeServer,
  messagesEvents,
  sendEvents,
  sendJson,
  startFakeServer,
} from '../fixtures/fake-server.ts'
import { resultOf } from '../fixtures/runs.ts'

const test = suite('reasoning in tool loops')

let server: FakeServer
test.before.each(async () => {
  server = await startFakeServer()
})
test.after.each(() => server.close())

type Json = Record<string, unknown>
const list = (value: unknown): Json[] => (Array.isArray(value) ? value : [])
const TURNS = 3

interface Vendor {
  name: string
  config: Omit<ProviderConfig, 'baseUrl'>
  path: string
  /** Answers of assistants in a request's conversation, oldest first. */
  turnsOf(body: Json): unknown[]
  /** What turn `n` has to be, exactly, when it comes back. */
  turn(n: number): unknown
  /** One answer: calls `look` with what stands in `turn(n)`, or says that it is done. */
  say(response: ServerResponse, n: number, stream: boolean): void | Promise<void>
  refusal(message: string): unknown
}

const usage = { input_tokens: 10, output_tokens: 5, prompt_tokens: 10, completion_tokens: 5 }
const sse = (...chunks: unknown[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
const send = (response: ServerResponse, stream: boolean, events: string, whole: unknown): void | Promise<void> =>
  stream ? sendEvents(response, events) : sendJson(response, whole)

const thinking = (n: number) => [
  { type: 'thinking', thinking: `step ${n}`, signature: `signed-${n}` },
  { type: 'redacted_thinking', data: `sealed-${n}` },
  { type: 'text', text: `turn ${n}` },
  { type: 'tool_use', id: `t${n}`, name: 'look', input: { n } },
]
const anthropic: Vendor = {
  name: 'anthropic',
  config: { type: 'anthropic', defaultModel: 'm' },
  path: '/v1',
  turnsOf: ({ messages }) =>
    list(messages)
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => list(content).map(({ cache_control: _mark, ...block }) => block)),
  turn: thinking,
  say(response, n, stream) {
    const content = n < TURNS ? thinking(n) : [{ type: 'text', text: 'done' }]
    const stop_reason = n < TURNS ? 'tool_use' : 'end_turn'
    const blocks = content.flatMap((block, index) => {
      const { thinking: thought, signature, input, ...start } = block as Json
      const open =
        'thinking' in block
          ? { ...start, thinking: '', signature: '' }
          : 'input' in block
            ? { ...start, input: {} }
            : block
      const delta = (piece: object) => ({ type: 'content_block_delta', index, delta: piece })
      return [
        { type: 'content_block_start', index, content_block: open },
        ...(thought === undefined
          ? []
          : [delta({ type: 'thinking_delta', thinking: thought }), delta({ type: 'signature_delta', signature })]),
        ...(input === undefined ? [] : [delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })]),
        { type: 'content_block_stop', index },
      ]
    })
    const events = messagesEvents(
      { type: 'message_start', message: { id: 'a', usage } },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason }, usage },
      { type: 'message_stop' },
    )
    return send(response, stream, events, { id: 'a', content, stop_reason, usage })
  },
  refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
}

const items = (n: number) => [
  { type: 'reasoning', id: `rs_${n}`, summary: [], encrypted_content: `sealed-${n}` },
  { type: 'function_call', id: `fc_${n}`, call_id: `c${n}`, name: 'look', arguments: JSON.stringify({ n }) },
]
const responses: Vendor = {
  name: 'openai-responses',
  config: { type: 'openai-responses', defaultModel: 'm', models: { m: { reasoning: true } } },
  path: '/v1',
  turnsOf({ input }) {
    const said = list(input).filter(({ type }) => type === 'reasoning' || type === 'function_call')
    return said.flatMap((_, at) => (at % 2 === 0 ? [said.slice(at, at + 2)] : []))
  },
  turn: items,
  say(response, n, stream) {
    const output = n < TURNS ? items(n) : [{ type: 'message', content: [{ type: 'output_text', text: 'done' }] }]
    const whole = { id: 'r', status: 'completed', output, usage }
    const events = messagesEvents(
      ...output.map((item) => ({ type: 'response.output_item.done', item })),
      ...(n < TURNS ? [] : [{ type: 'response.output_text.delta', delta: 'done' }]),
      { type: 'response.completed', response: whole },
    )
    return send(response, stream, events, whole)
  },
  refusal: (message) => ({ error: { message, type: 'invalid_request_error' } }),
}

/** A server of the chat format whose answers have these fields beside those of the format. */
const chat = (name: string, ofMessage: (n: number) => Json, ofCall: (n: number) => Json): Vendor => {
  const message = (n: number): Json => ({
    role: 'assistant',
    content: null,
    ...ofMessage(n),
    tool_calls: [
      { ...ofCall(n), id: `c${n}`, type: 'function', function: { name: 'look', arguments: JSON.stringify({ n }) } },
    ],
  })
  return {
    name,
    config: { type: 'openai', defaultModel: 'm' },
    path: '/v1',
    turnsOf: ({ messages }) => list(messages).filter(({ role }) => role === 'assistant'),
    turn: message,
    say(response, n, stream) {
      const said = n < TURNS ? message(n) : { role: 'assistant', content: 'done' }
      const finish_reason = n < TURNS ? 'tool_calls' : 'stop'
      const delta = {
        ...said,
        ...(said.tool_calls !== undefined && {
          tool_calls: list(said.tool_calls).map((call) => ({ index: 0, ...call })),
        }),
      }
      const events = chatEvents(
        { choices: [{ index: 0, delta }] },
        { choices: [{ index: 0, delta: {}, finish_reason }], usage },
      )
      return send(response, stream, events, { choices: [{ message: said, finish_reason }], usage })
    },
    refusal: (text) => ({ error: { message: text, type: 'invalid_request_error' } }),
  }
}

const parts = (n: number) => [
  { text: `step ${n}`, thought: true, thoughtSignature: `thought-${n}` },
  { functionCall: { name: 'look', args: { n } }, thoughtSignature: `signed-${n}` },
]
const gemini: Vendor = {
  name: 'gemini over the AI SDK',
  config: { type: 'aisdk', package: '@ai-sdk/google', defaultModel: 'gemini-3-pro' },
  path: '/v1beta',
  turnsOf: ({ contents }) =>
    list(contents)
      .filter(({ role }) => role === 'model')
      .map((turn) =>
        list(turn.parts).map(({ functionCall, ...part }) => ({
          ...part,
          ...(functionCall !== undefined && {
            functionCall: { name: (functionCall as Json).name, args: (functionCall as Json).args },
          }),
        })),
      ),
  turn: parts,
  say(response, n, stream) {
    const content = { role: 'model', parts: n < TURNS ? parts(n) : [{ text: 'done' }] }
    const whole = {
      candidates: [{ content, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    }
    return send(response, stream, sse(whole), whole)
  },
  refusal: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
}

const VENDORS: readonly Vendor[] = [
  anthropic,
  responses,
  chat(
    'reasoning_content of chat servers',
    (n) => ({ reasoning_content: `step ${n}` }),
    () => ({}),
  ),
  chat(
    'reasoning_details of chat servers',
    (n) => ({ reasoning_details: [{ type: 'reasoning.encrypted', data: `sealed-${n}`, index: 0 }] }),
    () => ({}),
  ),
  chat(
    'signatures of calls of chat servers',
    () => ({}),
    (n) => ({ extra_content: { google: { thought_signature: `signed-${n}` } } }),
  ),
  gemini,
]

for (const vendor of VENDORS) {
  for (const stream of [false, true]) {
    test(`${vendor.name}, ${stream ? 'streamed' : 'whole'}: each turn comes back as it was`, async () => {
      server.answer((response, { body, path }) => {
        const isStreamed = stream && (body.stream === true || path.includes('stream'))
        const turns = vendor.turnsOf(body)
        const wrong = turns.findIndex(
          (turn, n) => JSON.stringify(sorted(turn)) !== JSON.stringify(sorted(vendor.turn(n))),
        )
        if (wrong >= 0)
          return sendJson(response, vendor.refusal(`turn ${wrong} was ${JSON.stringify(turns[wrong])}`), 400)
        return vendor.say(response, turns.length, isStreamed)
      })
      const look = definePlugin('look', ({ tools }) =>
        tools.add('look', {
          ...{ id: 'look', description: 'Looks.', risk: 'read' as const },
          parameters: { type: 'object', properties: { n: { type: 'number' } } },
          run: async ({ n }: { n: number }) => `seen ${n}`,
        }),
      )()
      const runtime = await createRuntime(
        {
          model: 'mine/m',
          providers: { mine: { ...vendor.config, apiKeyEnv: 'KEY', baseUrl: `${server.url}${vendor.path}` } },
          components: { reflect: false, consensus: false },
        },
        { env: { KEY: 'none' }, plugins: [look], persist: false },
      )
      try {
        const { id } = await runtime.runs.create({ task: 'Look at all.' }, { deltas: stream })
        const result = await resultOf(runtime, id)
        assert.equal(
          [result.status, result.summary],
          ['completed', 'done'],
          JSON.stringify(result.error ?? result.warnings),
        )
        assert.is(server.seen.length, TURNS + 1)
      } finally {
        await runtime.close()
      }
    })
  }
}

/** With the fields of objects in one order: that of a request is the client's. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, sorted(part)]),
  )
}

test.run()
