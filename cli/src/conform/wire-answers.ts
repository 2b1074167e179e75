/** A server of our own for each wire format, as a `fetch`: what a described provider is tried against without a network. */
import { abortable } from '@svc/core/support'

/** Words in a request that decide how it is answered. */
export const SLOW = 'svc-check-slow'
export const FAILING = 'svc-check-failing'

/** Answers any address as a server of that wire format would. Undefined for a format that is not known. */
export function wireAnswers(type: string): typeof fetch | undefined {
  const answer = ANSWERS[type]
  if (answer === undefined) return undefined
  return async (input, init) => {
    const request = new Request(input, init)
    const text = await request.text()
    if (text.includes(SLOW)) return abortable(new Promise(() => {}), init?.signal ?? request.signal)
    if (text.includes(FAILING)) return json({ error: { message: 'refused for the check', type: 'refused' } }, 400)
    const { stream = false } = text === '' ? {} : (JSON.parse(text) as { stream?: boolean })
    if (request.method === 'GET') return json({ object: 'list', data: [] })
    return answer(stream)
  }
}

const json = (body: unknown, status = 200): Response => Response.json(body, { status })
const events = (lines: readonly string[]): Response =>
  new Response(lines.map((line) => `${line}\n\n`).join(''), { headers: { 'content-type': 'text/event-stream' } })
const dataOf = (value: unknown): string => `data: ${JSON.stringify(value)}`
const namedOf = (value: { type: string }): string => `event: ${value.type}\n${dataOf(value)}`

const CHAT = { id: 'chat-1', created: 0, model: 'check' }
const CHAT_USAGE = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
const USAGE = { input_tokens: 3, output_tokens: 1 }
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'check', stop_sequence: null }
const OUTPUT = [
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
  },
]
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 0, model: 'check' }
const DONE = { ...RESPONSE, status: 'completed', output: OUTPUT, usage: { ...USAGE, total_tokens: 4 } }

const ANSWERS: Readonly<Record<string, (stream: boolean) => Response>> = {
  openai: (stream) =>
    stream
      ? events([
          dataOf({ ...CHAT, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hello.' } }] }),
          dataOf({
            ...CHAT,
            object: 'chat.completion.chunk',
            choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
            usage: CHAT_USAGE,
          }),
          'data: [DONE]',
        ])
      : json({
          ...CHAT,
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
          usage: CHAT_USAGE,
        }),
  anthropic: (stream) =>
    stream
      ? events(
          [
            { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null, usage: USAGE } },
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
            { type: 'content_block_stop', index: 0 },
            { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: USAGE },
            { type: 'message_stop' },
          ].map(namedOf),
        )
      : json({ ...MESSAGE, content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn', usage: USAGE }),
  'openai-responses': (stream) =>
    stream
      ? events(
          [
            { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
            {
              type: 'response.output_text.delta',
              item_id: 'msg_1',
              output_index: 0,
              content_index: 0,
              delta: 'Hello.',
            },
            { type: 'response.completed', response: DONE },
          ].map(namedOf),
        )
      : json(DONE),
}
