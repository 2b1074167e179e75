/**
 * A server as a process: JSON in lines over its standard input and output.
 *
 * The package has a transport for this too. This one ends the whole group of processes, since `npx` and its like start the
 * server as a child of their own, and keeps what the server says on standard error for the message of its failure.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

export interface StdioTransportOptions {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  /** Longest message, in bytes; a longer one ends the connection. */
  maxBytes: number
  /** A line that it wrote to standard error. */
  onLog(line: string): void
}

const MOST_LOG_CHARS = 2_000
/** Messages that were read and not handled, before no more are read. */
const MOST_WAITING = 1_000
/** How long a server has to end by itself when its input ends, and then to obey. */
const END_MS = 200
const OBEY_MS = 1_000

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #options: StdioTransportOptions
  #child: ChildProcess | undefined
  #closed: Promise<void> | undefined
  #handled: Promise<void> = Promise.resolve()
  #waiting = 0
  #parts: Buffer[] = []
  #bytes = 0

  readonly #started: Promise<void>

  /** Starts the process, which takes its time to be ready to listen. */
  constructor(options: StdioTransportOptions) {
    this.#options = options
    this.#started = this.#spawn()
    this.#started.catch(() => {})
  }

  start(): Promise<void> {
    return this.#started
  }

  #spawn(): Promise<void> {
    const { command, args, env, cwd, onLog } = this.#options
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd,
        env,
        stdio: 'pipe',
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      this.#child = child
      // Who forgets to close a runtime can end all the same: the server sees the end of its input.
      child.unref()
      for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?(): void }).unref?.()
      const fail = (error: Error): void => this.onerror?.(error)
      child.on('error', (error) => {
        reject(error)
        fail(error)
      })
      child.on('spawn', resolve)
      child.on('close', () => {
        this.#child = undefined
        this.onclose?.()
      })
      child.stdin.on('error', fail)
      child.stdout.on('error', fail)
      child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
      readLines(child.stderr, onLog)
    })
  }

  #read(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const isWhole = this.#keep(rest.subarray(0, end))
      if (!isWhole) return
      const line = Buffer.concat(this.#parts).toString('utf8')
      this.#parts = []
      this.#bytes = 0
      rest = rest.subarray(end + 1)
      this.#receive(line)
    }
    this.#keep(rest)
  }

  #keep(part: Buffer): boolean {
    this.#bytes += part.length
    if (this.#bytes > this.#options.maxBytes) {
      this.#parts = []
      this.#child?.stdout?.destroy()
      this.onerror?.(new Error(`it sent a message of more than ${this.#options.maxBytes} bytes`))
      void this.close()
      return false
    }
    this.#parts.push(part)
    return true
  }

  #receive(line: string): void {
    const message = parse(line)
    if (message === undefined) {
      // What programs print beside the protocol is let pass: it is common.
      if (line.trim() !== '') this.#options.onLog(line.slice(0, MOST_LOG_CHARS))
    } else {
      if (++this.#waiting === MOST_WAITING) this.#child?.stdout?.pause()
      this.#handled = this.#handled.then(() => this.#handle(message))
    }
  }

  /** The package hears of what is said before an answer only if it is done with that before the answer comes. */
  async #handle(message: JSONRPCMessage): Promise<void> {
    this.onmessage?.(message)
    if (!('id' in message)) await nextTurn()
    if (this.#waiting-- === MOST_WAITING) this.#child?.stdout?.resume()
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {}
    if (!stdin?.writable) return Promise.reject(new Error('it does not run any more'))
    return new Promise((resolve) => {
      if (stdin.write(`${JSON.stringify(message)}\n`)) resolve()
      else stdin.once('drain', resolve)
    })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    const { pid } = child
    const ended = new Promise<true>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve(true)
      else child.once('exit', () => resolve(true))
    })
    child.ref()
    child.stdin?.end()
    if (!(await within(END_MS, ended))) {
      signal(pid, 'SIGTERM')
      await within(OBEY_MS, ended)
    }
    // Also what the server has started and left behind.
    signal(pid, 'SIGKILL')
    await ended
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
  }
}

function parse(line: string): JSONRPCMessage | undefined {
  try {
    const message: unknown = JSON.parse(line)
    const isMessage = typeof message === 'object' && message !== null && 'jsonrpc' in message
    return isMessage ? (message as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}

/** To a process and all that it has started. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, name)
  } catch {
    // none of them is left
  }
}

async function within(ms: number, ended: Promise<true>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  return Promise.race([ended, late]).finally(() => clearTimeout(timer))
}

/** Hands on a stream's lines, cut where they are long. */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = (lines.pop() ?? '').slice(0, MOST_LOG_CHARS)
    for (const line of lines) if (line.trim() !== '') onLine(line.slice(0, MOST_LOG_CHARS))
  })
  stream.on('end', () => {
    if (rest.trim() !== '') onLine(rest)
  })
}
