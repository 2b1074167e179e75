import { type ChildProcess, type ChildProcessByStdio, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { delimiter, isAbsolute } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { ToolError } from '@svc/core'
import { codeOf, show } from '../files/file-errors.ts'

export interface ProgramOptions {
  /** Working folder. */
  readonly folder: string
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Ends the program too, but what it printed is still answered. */
  readonly stop?: AbortSignal
  /** Most bytes kept of the beginning of each of the two outputs. */
  readonly headBytes: number
  /** Most bytes kept of their ends, where they are longer. Default 0. */
  readonly tailBytes?: number
  /** Most bytes of each handed on while the program runs. Default `headBytes`. */
  readonly streamBytes?: number
  /**
   * For a program that makes a sandbox: files that it reads from `FILES_FD` and the descriptors after it, and what says, called
   * once it runs, what it is to read from `INPUT_FD` and the next one. What it writes to `STATUS_FD` is kept apart from what
   * the program prints.
   */
  readonly sandbox?: { readonly files: readonly string[]; setUp(): Promise<readonly Buffer[]> }
  /** The program as people named it, where `argv` begins with another one. */
  readonly name?: string
  /** Handed each piece of both outputs as it comes. */
  onOutput(chunk: string): void
  /** Called once it runs. @returns what is called when it has ended */
  onStart?(pid: number): () => void
}

/** How a program ended, and what it printed. */
export interface Ended {
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined
  readonly killedBy: string | undefined
  /** What was written to `STATUS_FD`. */
  readonly status: string
  readonly out: Printed
  readonly err: Printed
}

export interface Printed {
  readonly head: string
  readonly tail: string
  /** Bytes between them that were not kept. */
  readonly dropped: number
}

/** The descriptor on which a sandbox tells of itself. */
export const STATUS_FD = 3
/** The first of two descriptors from which a sandbox reads what is not known when it is started. */
export const INPUT_FD = 4
export const FILES_FD = 6
const CLOSES_ON_EXEC = 0o2000000
const OWN = ['ignore', 'pipe', 'pipe']
const OF_SANDBOX = ['pipe', 'pipe', 'pipe']
const MOST_STATUS_CHARS = 16_384

/** Time between asking a program to end and ending it. */
const GRACE_MS = 60
/** How long children that outlive the program may hold its output open. */
const LINGER_MS = 200

/**
 * Runs a program without a shell. It reads an empty input, and is the head of a process group of its own that ends with it,
 * or when the signal is aborted.
 *
 * @throws ToolError `tool_failed` when it cannot be started; the signal's reason
 */
export function runProgram(argv: readonly string[], options: ProgramOptions): Promise<Ended> {
  const [program = '', ...args] = argv
  const { signal } = options
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = start(program, args, options)
    const out = new Output(options)
    const err = new Output(options)
    child.stdout.on('data', (chunk: Buffer) => out.add(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.add(chunk))
    let status = ''
    const telling = child.stdio[STATUS_FD] as Readable | null | undefined
    telling?.on('data', (chunk: Buffer) => {
      status = (status + String(chunk)).slice(0, MOST_STATUS_CHARS)
    })
    const inputs = child.stdio.slice(INPUT_FD, FILES_FD).filter((one) => one !== null) as Writable[]
    // what ends before it has read all says why itself
    for (const input of inputs) input.on('error', () => {})
    let failure: { error: unknown } | undefined
    const onEnd = child.pid === undefined ? undefined : options.onStart?.(child.pid)

    let killing: NodeJS.Timeout | undefined
    const onAbort = () => {
      killGroup(child, 'SIGTERM')
      killing = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    options.stop?.addEventListener('abort', onAbort, { once: true })
    const fill = async (): Promise<void> => {
      const texts = (await options.sandbox?.setUp()) ?? []
      // one after the other: where this process ends meanwhile, the last one is missing, and nothing is run
      for (const [index, input] of inputs.entries())
        await new Promise<void>((done) => input.end(texts[index], () => done()))
    }
    fill().catch((error: unknown) => {
      failure = { error }
      killGroup(child, 'SIGKILL') // which has run nothing yet
    })
    let lingering: NodeJS.Timeout | undefined
    child.on('exit', () => {
      lingering = setTimeout(() => {
        killGroup(child, 'SIGKILL')
        child.stdout.destroy()
        child.stderr.destroy()
        telling?.destroy()
      }, LINGER_MS)
    })
    const settle = () => {
      signal.removeEventListener('abort', onAbort)
      options.stop?.removeEventListener('abort', onAbort)
      clearTimeout(killing)
      clearTimeout(lingering)
      onEnd?.()
      killGroup(child, 'SIGKILL') // processes that the program left running
    }
    child.on('error', (error) => {
      if (child.pid !== undefined) return // it runs; `close` will follow
      settle()
      reject(notStarted(options.name ?? program, error))
    })
    child.on('close', (code, killedBy) => {
      settle()
      const ended = {
        exitCode: code ?? undefined,
        killedBy: killedBy ?? undefined,
        status,
        out: out.finish(),
        err: err.finish(),
      }
      if (signal.aborted) reject(signal.reason)
      else if (failure !== undefined) reject(failure.error)
      else resolve(ended)
    })
  })
}

/** @throws ToolError `tool_failed` for what the system refuses before it looks for the program */
function start(program: string, args: readonly string[], { folder, env, sandbox, name }: ProgramOptions) {
  const files = (sandbox?.files ?? []).map(openFile)
  const own = sandbox === undefined ? OWN : [...OWN, ...OF_SANDBOX, ...files]
  const inherited = findInherited().filter((descriptor) => descriptor >= own.length)
  const nothing = inherited.length > 0 ? openSync(devNull, 'r') : undefined
  const most = Math.max(own.length - 1, ...inherited)
  try {
    return spawn(program, args, {
      cwd: folder,
      env,
      stdio: Array.from({ length: most + 1 }, (_, descriptor) =>
        inherited.includes(descriptor) ? nothing : (own[descriptor] ?? 'ignore'),
      ) as StdioOptions,
      detached: process.platform !== 'win32', // a group of its own
      shell: false,
      windowsHide: true,
    }) as ChildProcessByStdio<null, Readable, Readable>
  } catch (error) {
    throw notStarted(name ?? program, error)
  } finally {
    for (const one of [...files, ...(nothing === undefined ? [] : [nothing])]) closeSync(one)
  }
}

/** A file that may not be read is an empty one. */
function openFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch {
    return openSync(devNull, 'r')
  }
}

/** Descriptors that a program which started this process left open for its programs too: no program is to write or read there. */
function findInherited(): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isLeftOpen(descriptor))
}

function isLeftOpen(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? ''
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0
  } catch {
    return false // it was closed meanwhile
  }
}

const NO_SUCH =
  'there is no such program, or its first line names one that is not there. Install it, or name a file of the workspace by its path, such as "./check.sh"'
const REFUSALS: Readonly<Record<string, string>> = {
  ENOENT: NO_SUCH,
  ENOTDIR: NO_SUCH,
  ENAMETOOLONG: NO_SUCH,
  EACCES:
    'it is a folder, or a file that may not be executed. Run chmod +x on the file, or begin the command with the program that reads it, such as node or sh',
  // Node starts no batch file without a shell.
  EINVAL: 'a .cmd or .bat file is run by cmd.exe: begin the command with "cmd", "/c"',
  E2BIG: 'its arguments are longer than the system takes. Put the text into a file, and name the file',
}

/**
 * The error of a program that never ran.
 *
 * @param program as people named it
 * @param cause the system's error; its code says what to do
 */
export function notStarted(program: string, cause: unknown): ToolError {
  // A name alone is looked for in folders, of which one that may not be searched gives the same code as a file.
  const code = codeOf(cause) === 'EACCES' && !program.includes('/') ? 'ENOENT' : codeOf(cause)
  const why = REFUSALS[code ?? ''] ?? (cause instanceof Error ? cause.message : String(cause))
  return new ToolError('tool_failed', `${show(program)} cannot be started: ${why}`, { cause })
}

class Output {
  readonly #options: ProgramOptions
  readonly #decoder = new StringDecoder('utf8')
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail = Buffer.alloc(0)
  #dropped = 0
  #streamed = 0

  constructor(options: ProgramOptions) {
    this.#options = options
  }

  add(chunk: Buffer): void {
    const { headBytes, tailBytes = 0, streamBytes = headBytes } = this.#options
    const streamed = chunk.subarray(0, Math.max(0, streamBytes - this.#streamed))
    this.#streamed += streamed.length
    if (streamed.length > 0) this.#options.onOutput(this.#decoder.write(streamed))
    const head = chunk.subarray(0, headBytes - this.#headBytes)
    if (head.length > 0) this.#head.push(head)
    this.#headBytes += head.length
    const rest = Buffer.concat([this.#tail, chunk.subarray(head.length)])
    this.#tail = rest.subarray(Math.max(0, rest.length - tailBytes))
    this.#dropped += rest.length - this.#tail.length
  }

  finish(): Printed {
    const dropped = this.#dropped
    const head = Buffer.concat(this.#head).toString('utf8')
    const tail = this.#tail.toString('utf8')
    if (dropped === 0) return { head: Buffer.concat([...this.#head, this.#tail]).toString('utf8'), tail: '', dropped }
    // a character may have been cut at either side
    return { head: head.replace(/\ufffd$/, ''), tail: tail.replace(/^\ufffd+/, ''), dropped }
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // the group is gone
  }
}

/** `PATH` (absolute entries only), `HOME` and `LANG` of this process' environment, for a program outside of a sandbox. */
export function scrubbedEnv(): Record<string, string> {
  // a relative entry of PATH would run programs of the workspace
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => isAbsolute(entry))
  const { HOME, LANG, SystemRoot } = process.env
  const kept = { PATH: path.join(delimiter), HOME, LANG, SystemRoot }
  return Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
