import { createRedactor, redactShapes, secretsOfVariables } from '@svc/core'
import { toVisible, UNSAFE } from '@svc/core/client'
import pc from 'picocolors'
import { outputEnded } from './output.ts'

/** The streams and the environment of a command. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The result, and nothing else. */
  out(text: string): void
  /** A value as JSON on a line of its own; with an indent, on several. */
  outJson(value: unknown, indent?: number): void
  /** Everything else. @param level for a log in JSON; default `info` */
  err(text: string, level?: 'info' | 'warn' | 'error'): void
  /** What a person decides on: as `err`, but nothing is taken out because it looks like a key. */
  show(text: string): void
  /** Takes these out of all that is written from now on, beside what the environment's variables hold. */
  hide(secrets: readonly string[]): void
  /** A text without them. */
  redact(text: string): string
  /** Whether a person sees standard error, and may be asked. */
  readonly isInteractive: boolean
  /** Whether standard error can redraw lines. */
  readonly canRedraw: boolean
  /** Whether everything is lines in words: nothing is redrawn, framed or rendered. */
  readonly isPlain: boolean
  /** Whether a person reads standard output as it comes. */
  readonly isOutTerminal: boolean
  /** Of the terminal that standard error is. */
  readonly columns: number
  readonly rows: number
  /** Columns of the terminal that standard output is; endless where it is none. */
  readonly outColumns: number
  /** Colours for standard error; without them where nobody wants any. */
  readonly paint: ReturnType<typeof pc.createColors>
  /** The same for standard output. */
  readonly outPaint: ReturnType<typeof pc.createColors>
  /** Aborted when standard output takes nothing more. */
  readonly unread: AbortSignal
}

/** JSON may hold what controls a terminal; written as an escape it says the same. */
export const toSafeJson = (json: string): string =>
  json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A text without characters that control a terminal. */
export const toSafe = (text: string): string => text.replace(UNSAFE, '')

/** What somebody else wrote, as a part of one line of ours: nothing in it is invisible or begins another line. */
export const toSafeLine = (text: string): string => toVisible(text.replace(/[\n\r\v\f\u0085\u2028\u2029]+/g, ' '))

/** The process's own streams. */
export function createIo({
  noInput,
  noColor,
  plain = false,
}: {
  noInput: boolean
  noColor: boolean
  plain?: boolean
}): Io {
  const { env, stdin, stdout, stderr } = process
  const isPlain = plain || env.TERM === 'dumb'
  const isTerminal = stderr.isTTY === true && !isPlain
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  const refused = noColor || (env.NO_COLOR ?? '') !== '' || env.FORCE_COLOR === '0' || env.FORCE_COLOR === 'false'
  const hidden = secretsOfVariables(env)
  let redact = createRedactor(hidden)
  return {
    env,
    out(text) {
      if (!outputEnded.aborted) stdout.write(redact(text))
    },
    outJson(value, indent) {
      this.out(`${toSafeJson(JSON.stringify(value, null, indent) ?? 'null')}\n`)
    },
    err(text) {
      stderr.write(redactShapes(redact(text)))
    },
    show: (text) => void stderr.write(redact(text)),
    redact: (text) => redact(text),
    hide(secrets) {
      const added = secrets.filter((secret) => !hidden.includes(secret))
      if (added.length === 0) return
      hidden.push(...added)
      redact = createRedactor(hidden)
    },
    isInteractive: stderr.isTTY === true && stdin.isTTY === true && !noInput && env.CI !== 'true',
    canRedraw: isTerminal,
    isPlain,
    isOutTerminal: stdout.isTTY === true,
    // A terminal may not know its size, and says 0.
    get columns() {
      return stderr.columns || 80
    },
    get rows() {
      return stderr.rows || 24
    },
    get outColumns() {
      return stdout.isTTY === true ? stdout.columns || 80 : Number.POSITIVE_INFINITY
    },
    paint: pc.createColors(!refused && (forced || isTerminal)),
    outPaint: pc.createColors(!refused && !isPlain && stdout.isTTY === true),
    unread: outputEnded,
  }
}
