/** Twenty ways in which a server of a model fails, each as it looks on the wire. */
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, Said } from './formats.ts'

/** What a server does instead of answering well. */
export interface Fault {
  readonly name: string
  /** What counts as right for a call that met it: by default, that another try answered. */
  readonly right?: string
  /** Whether it only ends when the client has waited long enough. */
  readonly isSilent?: boolean
  /** Whether a call that met it is made again, though it was said well-formed. */
  readonly isRetried?: boolean
  /** Says something else than the answer, well-formed. */
  readonly says?: Said
  readonly send?: (response: ServerResponse, answer: Answer, stream: boolean) => void | Promise<void>
}

const TEN_MB = 10_000_000

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

const refused =
  (status: number, type: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    json(response, status, { type: 'error', error: { type, message: `status ${status}` } }, headers)

function page(status: number) {
  return (response: ServerResponse): void => {
    const text = `<html><head><title>${status} Bad Gateway</title></head><body>nginx</body></html>`
    response.writeHead(status, { 'content-type': 'text/html' }).end(text)
  }
}

function head(response: ServerResponse, stream: boolean): void {
  response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
}

/** The first half of what would be sent. */
const halfOf = ({ events, whole }: Answer, stream: boolean): string => {
  if (stream) return events.slice(0, 2).join('')
  const text = JSON.stringify(whole)
  return text.slice(0, text.length / 2)
}

const hang = (): void => {}

export const FAULTS: readonly Fault[] = [
  { name: '429 with retry-after', send: refused(429, 'rate_limit_error', { 'retry-after': '0.05' }) },
  { name: '429 without', send: refused(429, 'rate_limit_error') },
  { name: '500', send: refused(500, 'api_error') },
  { name: '502, a web page', send: page(502) },
  { name: '503', send: refused(503, 'server_error') },
  { name: '504, a web page', send: page(504) },
  { name: '529', send: refused(529, 'overloaded_error') },
  { name: 'connection reset', send: (response) => void response.socket?.resetAndDestroy() },
  { name: 'silence', isSilent: true, send: hang },
  {
    name: 'silence in the middle',
    isSilent: true,
    send(response, answer, stream) {
      head(response, stream)
      response.write(halfOf(answer, stream))
    },
  },
  {
    name: 'a drip that says nothing',
    isSilent: true,
    async send(response, _answer, stream) {
      head(response, stream)
      while (response.socket?.destroyed === false) {
        response.write(stream ? ': still here\n\n' : ' ')
        await wait(100)
      }
    },
  },
  {
    name: 'cut in the middle',
    send(response, answer, stream) {
      head(response, stream)
      response.write(halfOf(answer, stream), () => response.socket?.destroy())
    },
  },
  {
    name: 'ended in the middle',
    send(response, answer, stream) {
      head(response, stream)
      response.end(halfOf(answer, stream))
    },
  },
  {
    name: 'bad JSON',
    send(response, _answer, stream) {
      head(response, stream)
      response.end(stream ? 'data: {"id": oops\n\n' : '{"id": oops')
    },
  },
  {
    name: 'an empty body',
    send(response, _answer, stream) {
      head(response, stream)
      response.end()
    },
  },
  {
    name: 'success without an answer',
    send(response, { empty }, stream) {
      head(response, stream)
      response.end(stream ? `data: ${JSON.stringify(empty)}\n\n` : JSON.stringify(empty))
    },
  },
  {
    name: 'an error as data of a success',
    send(response, { error, events }, stream) {
      head(response, stream)
      response.end(stream ? `${events[0]}data: ${JSON.stringify(error)}\n\n` : JSON.stringify(error))
    },
  },
  {
    name: 'wrong usage',
    right: 'the answer of the first try, with counts that can be',
    says: { text: '', usage: { prompt_tokens: -5, completion_tokens: 'many', input_tokens: -5, output_tokens: 1e30 } },
  },
  {
    name: '10 MB of text',
    right: 'that another try answered: an answer has at most 8,000,000 characters, and what came of it is counted',
    isRetried: true,
    says: { text: 'x'.repeat(TEN_MB) },
  },
  {
    name: 'equal ids of tool calls',
    right: 'both calls of the first try, with ids that differ',
    says: { text: '', calls: ['same', 'same'] },
  },
]

/** Beside those: what a model refuses is no fault of its server, and is not asked again. */
export const REFUSAL: Fault = {
  name: 'refusal',
  right: 'the refusal of the first try',
  says: { text: 'I will not.', refuses: true },
}
