import { stripVTControlCharacters } from 'node:util'
import type { LogLine, RunLogLine } from '@svc/server'
import type { CommandContext } from '../frame/context.ts'
import { type Io, toSafe, toSafeJson } from '../frame/io.ts'
import { wrong } from '../line/wrong.ts'
import { toDuration } from '../render/time.ts'

const FORMATS = ['text', 'json'] as const

/** The log of a process that serves or works, on standard error. */
export interface ServiceLog {
  /** Whether each line is JSON, for a program that collects them. */
  isJson: boolean
  /** Writes what happened to a run or a request: as JSON, at a terminal as text. */
  write(line: LogLine | RunLogLine): void
  close(): void
}

/**
 * Opens the log as `--log-format` or `SVC_LOG_FORMAT` asks for it. In JSON everything that is said on standard error is a line
 * with time, level and msg: also what the command says to people, and the process's warnings.
 *
 * @throws ValidationError `validation_failed` for another format
 */
export function openServiceLog({ flags, io }: CommandContext): ServiceLog {
  const isJson = formatOf(flags.own.oneOf('logFormat', FORMATS), io.env) === 'json'
  const write = io.err.bind(io)
  const writeJson = (line: object): void => write(`${toSafeJson(JSON.stringify(line))}\n`)
  // What ends the command is said in JSON too, so this stays.
  if (isJson)
    io.err = (text, level = 'info') => {
      // Calls of models and tools are JSON already.
      if (text.startsWith('{')) write(text)
      else writeJson({ time: new Date().toISOString(), level, msg: toMessage(text) })
    }
  const before = process.listeners('warning')
  // One with a code says that work stands still.
  const onWarning = (warning: Error): void =>
    io.err(toSafe(`svc: ${warning.message}\n`), warning.name === 'SvcWarning' && 'code' in warning ? 'error' : 'warn')
  process.removeAllListeners('warning').on('warning', onWarning)
  return {
    isJson,
    write: !isJson && (io.canRedraw || io.isPlain) ? (line) => write(`${toSafe(toText(line))}\n`) : writeJson,
    close() {
      process.off('warning', onWarning)
      for (const listener of before) process.on('warning', listener)
    },
  }
}

function formatOf(flag: (typeof FORMATS)[number] | undefined, env: Io['env']): (typeof FORMATS)[number] {
  const said = env.SVC_LOG_FORMAT?.trim().toLowerCase() || 'text'
  const named = FORMATS.find((format) => format === said)
  if (flag !== undefined) return flag
  if (named !== undefined) return named
  const message = `must be ${FORMATS.join(' or ')}, not "${said.slice(0, 80)}"`
  throw wrong(`SVC_LOG_FORMAT ${message}`, 'SVC_LOG_FORMAT', message)
}

/** `12:03:44 GET /v1/runs/{id} 200 0.1 s caller=owner`; what only a program asks for is left out. */
function toText({
  time,
  level,
  requestId,
  durationMs,
  ...told
}: (LogLine | RunLogLine) & { requestId?: string }): string {
  const { msg, method, route, status, ...rest }: Partial<Record<string, unknown>> = told
  const values = Object.entries(rest).map(([name, value]) => `${name}=${quoted(String(value))}`)
  const took = durationMs === undefined ? [] : [toDuration(durationMs)]
  const clock = new Date(time).toTimeString().slice(0, 8)
  return [clock, msg ?? `${method} ${route} ${status}`, ...took, ...values].join(' ')
}

const quoted = (value: string): string => (/[\s"]/.test(value) ? JSON.stringify(value) : value)

const toMessage = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/^svc: /, '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
