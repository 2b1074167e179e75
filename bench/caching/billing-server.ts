/** A server of three wire formats that calls a tool so many times, then answers, and bills what it is sent. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bill, BreakpointCache, type Cache, MarkedCache, PrefixCache } from './bill.ts'

type Json = Record<string, unknown>

export const FORMATS = ['anthropic', 'openai', 'openai-responses'] as const
export type Format = (typeof FORMATS)[number]

export interface BillingServer {
  /** Sends to it what is meant for the vendor. */
  readonly fetch: typeof fetch
  /** One for each request, in order. */
  readonly bills: readonly Bill[]
  close(): Promise<void>
}

/** What the model does next: calls its tool so many times at once, or says this. */
export type Move = { calls: number } | { text: string }

/** @param decide by how many results of tools stand behind what the user said last, and by how many requests there were */
export async function startBillingServer(
  format: Format,
  model: string,
  decide: (results: number, requests: number) => Move,
): Promise<BillingServer> {
  const bills: Bill[] = []
  const cache: Cache =
    format === 'anthropic' ? new MarkedCache() : model.startsWith('gpt-5.6') ? new BreakpointCache() : new PrefixCache()
  const server = createServer(async (request, response) => {
    const body = await readJson(request)
    const bill = cache.bill(body)
    bills.push(bill)
    const move = decide(resultsIn(format, body), bills.length - 1)
    const answer = ANSWERS[format](`${bills.length}`, move, bill)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    fetch: (asked, init) => fetch(`${url}${new URL(String(asked)).pathname}`, init),
    bills,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Json
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : [])

function resultsIn(format: Format, body: Json): number {
  if (format === 'openai-responses')
    return list(body.input).filter(({ type }) => type === 'function_call_output').length
  if (format === 'openai') return list(body.messages).filter(({ role }) => role === 'tool').length
  return list(body.messages)
    .flatMap(({ content }) => list(content))
    .filter(({ type }) => type === 'tool_result').length
}

const OUTPUT_TOKENS = 40
const callsOf = (move: Move, id: string): { id: string; args: Json }[] =>
  'text' in move
    ? []
    : Array.from({ length: move.calls }, (_, n) => ({ id: `call_${id}_${n}`, args: { part: `${id}.${n}` } }))

const ANSWERS: Readonly<Record<Format, (id: string, move: Move, bill: Bill) => Json>> = {
  anthropic: (id, move, { read, written, plain }) => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    content:
      'text' in move
        ? [{ type: 'text', text: move.text }]
        : callsOf(move, id).map((call) => ({ type: 'tool_use', id: call.id, name: 'look', input: call.args })),
    stop_reason: 'text' in move ? 'end_turn' : 'tool_use',
    usage: {
      input_tokens: plain,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: OUTPUT_TOKENS,
    },
  }),
  openai: (id, move, { read, written, plain }) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'text' in move ? move.text : null,
          ...('text' in move
            ? {}
            : {
                tool_calls: callsOf(move, id).map((call) => ({
                  id: call.id,
                  type: 'function',
                  function: { name: 'look', arguments: JSON.stringify(call.args) },
                })),
              }),
        },
        finish_reason: 'text' in move ? 'stop' : 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: read + written + plain,
      completion_tokens: OUTPUT_TOKENS,
      total_tokens: read + written + plain + OUTPUT_TOKENS,
      prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
    },
  }),
  'openai-responses': (id, move, { read, written, plain }) => ({
    id: `resp_${id}`,
    object: 'response',
    status: 'completed',
    output:
      'text' in move
        ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: move.text }] }]
        : callsOf(move, id).map((call) => ({
            type: 'function_call',
            id: `fc_${call.id}`,
            call_id: call.id,
            name: 'look',
            arguments: JSON.stringify(call.args),
          })),
    usage: {
      input_tokens: read + written + plain,
      output_tokens: OUTPUT_TOKENS,
      input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
    },
  }),
}
