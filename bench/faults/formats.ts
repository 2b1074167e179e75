/** One answer in each of three wire formats, whole and as a stream, and the parts of which faulty ones are made. */
type Json = Record<string, unknown>

export const FORMATS = ['openai', 'openai-responses', 'anthropic'] as const
export type Format = (typeof FORMATS)[number]

export interface Said {
  text: string
  /** Ids of calls of the tool `look`. */
  calls?: readonly string[]
  refuses?: boolean
  usage?: unknown
}

export interface Answer {
  whole: Json
  /** Events, in order; the last one ends the stream. */
  events: readonly string[]
  /** A body of success without an answer in it. */
  empty: Json
  /** An error as data. */
  error: Json
}

const data = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const event = (value: Json): string => `event: ${value.type}\n${data(value)}`
const failed = { message: 'something went wrong on our side', type: 'server_error' }

function chat({ text, calls = [], refuses = false, usage }: Said): Answer {
  const tool_calls = calls.map((id, index) => ({
    index,
    id,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  }))
  const finish_reason = refuses ? 'content_filter' : calls.length > 0 ? 'tool_calls' : 'stop'
  const counts = usage ?? { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 }
  const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) }
  const half = Math.ceil(text.length / 2)
  const piece = (delta: Json, more: Json = {}) => data({ id: 'c', choices: [{ index: 0, delta, ...more }] })
  return {
    whole: { id: 'c', choices: [{ index: 0, message, finish_reason }], usage: counts },
    events: [
      piece({ role: 'assistant', content: text.slice(0, half) }),
      piece({ content: text.slice(half), ...(calls.length > 0 && { tool_calls }) }),
      piece({}, { finish_reason }),
      data({ id: 'c', choices: [], usage: counts }),
      data('[DONE]'),
    ],
    empty: { id: 'c', choices: [], usage: counts },
    error: { error: failed },
  }
}

function responses({ text, calls = [], refuses = false, usage }: Said): Answer {
  const said = refuses ? { type: 'refusal', refusal: text } : { type: 'output_text', text }
  const output: Json[] = [
    { type: 'message', id: 'm', role: 'assistant', content: [said] },
    ...calls.map((call_id) => ({ type: 'function_call', id: `f_${call_id}`, call_id, name: 'look', arguments: '{}' })),
  ]
  const counts = usage ?? { input_tokens: 20, output_tokens: 6, total_tokens: 26 }
  const whole = { id: 'r', object: 'response', status: 'completed', output, usage: counts }
  const half = Math.ceil(text.length / 2)
  const type = refuses ? 'response.refusal.delta' : 'response.output_text.delta'
  return {
    whole,
    events: [
      event({ type: 'response.created', response: { id: 'r', status: 'in_progress' } }),
      event({ type, delta: text.slice(0, half) }),
      event({ type, delta: text.slice(half) }),
      ...output.map((item) => event({ type: 'response.output_item.done', item })),
      event({ type: 'response.completed', response: whole }),
    ],
    empty: { id: 'r', object: 'response' },
    error: { type: 'error', code: 'server_error', message: failed.message, error: failed },
  }
}

function messages({ text, calls = [], refuses = false, usage }: Said): Answer {
  const content: Json[] = [
    { type: 'text', text },
    ...calls.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
  ]
  const stop_reason = refuses ? 'refusal' : calls.length > 0 ? 'tool_use' : 'end_turn'
  const counts = usage ?? { input_tokens: 20, output_tokens: 6 }
  const half = Math.ceil(text.length / 2)
  const delta = (index: number, piece: Json) => event({ type: 'content_block_delta', index, delta: piece })
  return {
    whole: { id: 'm', type: 'message', role: 'assistant', content, stop_reason, usage: counts },
    events: [
      event({ type: 'message_start', message: { id: 'm', usage: counts } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      delta(0, { type: 'text_delta', text: text.slice(0, half) }),
      delta(0, { type: 'text_delta', text: text.slice(half) }),
      event({ type: 'content_block_stop', index: 0 }),
      ...calls.flatMap((id, at) => [
        event({
          type: 'content_block_start',
          index: at + 1,
          content_block: { type: 'tool_use', id, name: 'look', input: {} },
        }),
        event({ type: 'content_block_stop', index: at + 1 }),
      ]),
      event({ type: 'message_delta', delta: { stop_reason }, usage: counts }),
      event({ type: 'message_stop' }),
    ],
    empty: { id: 'm', type: 'message' },
    error: { type: 'error', error: { type: 'api_error', message: failed.message } },
  }
}

export const toAnswer: Readonly<Record<Format, (said: Said) => Answer>> = {
  openai: chat,
  'openai-responses': responses,
  anthropic: messages,
}
