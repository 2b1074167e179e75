import { type ChildProcess, spawn } from 'node:child_process'
import { delimiter, isAbsolute } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { ToolError } from '@svc/core'
import { codeOf, show } from './file-errors.ts'

export interface CommandOptions {
  /** Working folder. */
  readonly folder: string
  readonly signal: AbortSignal
  /** Most bytes kept of each of the two outputs; what follows is counted only. */
  readonly outputBytes: number
  /** Handed each piece of both outputs as it comes. */
  onOutput(chunk: string): void
}

/** Time between asking a program to end and ending it. */
const GRACE_MS = 60
/** How long children that outlive the program may hold its output open. */
const LINGER_MS = 200

/**
 * Runs a program without a shell and returns what it printed; standard error follows under a line `[stderr]`.
 *
 * The program sees `PATH` (absolute entries only), `HOME` and `LANG` of the environment and nothing else, reads an
 * empty input, and is the head of a process group of its own that ends with it, or when the signal is aborted.
 *
 * @throws ToolError `tool_failed` when it cannot be started or ends with another code than 0; the signal's reason
 */
export function runCommand(argv: readonly string[], options: CommandOptions): Promise<string> {
  const [program = '', ...args] = argv
  const { signal } = options
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = spawn(program, args, {
      cwd: options.folder,
      env: scrubbed(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32', // a group of its own
      shell: false,
      windowsHide: true,
    })
    const out = new Output(options)
    const err = new Output(options)
    child.stdout.on('data', (chunk: Buffer) => out.add(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.add(chunk))

    let killing: NodeJS.Timeout | undefined
    const onAbort = () => {
      killGroup(child, 'SIGTERM')
      killing = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    let lingering: NodeJS.Timeout | undefined
    child.on('exit', () => {
      lingering = setTimeout(() => {
        killGroup(child, 'SIGKILL')
        child.stdout.destroy()
        child.stderr.destroy()
      }, LINGER_MS)
    })
    const settle = () => {
      signal.removeEventListener('abort', onAbort)
      clearTimeout(killing)
      clearTimeout(lingering)
      killGroup(child, 'SIGKILL') // processes that the program left running
    }
    child.on('error', (error) => {
      if (child.pid !== undefined) return // it runs; `close` will follow
      settle()
      const why = codeOf(error) === 'ENOENT' ? 'it is not installed, or the folder is gone' : error.message
      reject(new ToolError('tool_failed', `${show(program)} cannot be started: ${why}`, { cause: error }))
    })
    child.on('close', (code, killedBy) => {
      settle()
      if (signal.aborted) reject(signal.reason)
      else if (code === 0) resolve(join(out.finish(), err.finish()))
      else reject(toFailure(program, code, killedBy, err.finish() || out.finish()))
    })
  })
}

class Output {
  readonly #options: CommandOptions
  readonly #decoder = new StringDecoder('utf8')
  #text = ''
  #bytes = 0
  #dropped = 0

  constructor(options: CommandOptions) {
    this.#options = options
  }

  add(chunk: Buffer): void {
    const kept = chunk.subarray(0, Math.max(0, this.#options.outputBytes - this.#bytes))
    this.#bytes += kept.length
    this.#dropped += chunk.length - kept.length
    if (kept.length === 0) return
    const text = this.#decoder.write(kept)
    this.#text += text
    this.#options.onOutput(text)
  }

  finish(): string {
    const text = this.#text + this.#decoder.end()
    return this.#dropped === 0 ? text : `${text}\n… ${this.#dropped} more bytes`
  }
}

function join(out: string, err: string): string {
  if (err.trim() === '') return out.trimEnd()
  return `${out.trimEnd()}\n[stderr]\n${err.trimEnd()}`.trimStart()
}

function toFailure(program: string, code: number | null, killedBy: string | null, said: string): ToolError {
  const how = code === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with code ${code}`
  const tail = said.trim().slice(-2000)
  return new ToolError('tool_failed', `${show(program)} ${how}${tail === '' ? '' : `: ${tail}`}`, {
    details: { exitCode: code, signal: killedBy },
  })
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

function scrubbed(): Record<string, string> {
  // a relative entry of PATH would run programs of the workspace
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => isAbsolute(entry))
  const { HOME, LANG, SystemRoot } = process.env
  const kept = { PATH: path.join(delimiter), HOME, LANG, SystemRoot }
  return Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
