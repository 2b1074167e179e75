import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import type { AcpPackage } from './load-package.ts'

/** Of one message: images of a prompt come as base64 in one line. */
export const MOST_MESSAGE_BYTES = 64 << 20
/** Lines that wait for the end of a turn of the event loop. */
const MOST_HELD_CHARS = 65_536

/** The protocol over standard input and output. */
export interface Stdio {
  stream: Stream
  /** Sends what nobody answers: pieces of answers, the most of all messages, without the cost of a request. */
  notify(method: string, params: object): void
  /** Resolves once the editor has read so much that there is room for more. */
  hasRoom(): Promise<void>
}

/**
 * Takes standard input and output for the protocol. From here on, whatever else this process prints to standard output goes to
 * standard error: an editor would take it for a message.
 */
export function openStdio({ ndJsonStream }: AcpPackage): Stdio {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  let lines = ''
  let isFull = false
  const flush = (): void => {
    if (lines !== '') isFull = !write(lines)
    lines = ''
  }
  /** What is said in one turn of the event loop goes out in one piece. */
  const send = (line: string): void => {
    if (lines === '') setImmediate(flush)
    lines += line
    if (lines.length > MOST_HELD_CHARS) flush()
  }
  const hasRoom = async (): Promise<void> => {
    if (isFull && stdout.writableNeedDrain) await once(stdout, 'drain')
    isFull = false
  }
  const input = Readable.toWeb(stdin) as ReadableStream<Uint8Array>
  // Refuses lines that are no message, and nothing else.
  const refusals = new WritableStream<Uint8Array>({
    write(line) {
      send(Buffer.from(line).toString())
      return hasRoom()
    },
  })
  const { readable } = ndJsonStream(refusals, input, { maxMessageBytes: MOST_MESSAGE_BYTES })
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      send(`${JSON.stringify(explain(message))}\n`)
      return hasRoom()
    },
  })
  const notify: Stdio['notify'] = (method, params) => send(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`)
  return { stream: { readable, writable }, notify, hasRoom }
}

/** The package says of parameters that do not fit that they are invalid, and keeps the field in `data`: people read the message. */
function explain(message: AnyMessage): AnyMessage {
  if (!('error' in message) || message.error.code !== -32602 || message.error.message !== 'Invalid params')
    return message
  const found = firstProblem(message.error.data)
  if (found === undefined) return message
  return { ...message, error: { ...message.error, message: `Invalid params: ${found}` } }
}

/** The first sentence of a tree of problems, with the path to it. */
function firstProblem(tree: unknown, path = ''): string | undefined {
  if (typeof tree !== 'object' || tree === null) return undefined
  const { _errors: own, ...fields } = tree as { _errors?: unknown }
  if (Array.isArray(own) && typeof own[0] === 'string') return `${path === '' ? 'params' : path}: ${own[0]}`
  for (const [name, below] of Object.entries(fields)) {
    const found = firstProblem(below, path === '' ? name : `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
