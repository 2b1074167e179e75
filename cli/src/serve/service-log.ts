import { stripVTControlCharacters } from 'node:util'
import type { CommandContext } from '../frame/context.ts'
import { type Io, toSafeJson } from '../frame/io.ts'
import { wrong } from '../line/wrong.ts'

const FORMATS = ['text', 'json'] as const

/** The log of a process that serves or works, on standard error. */
export interface ServiceLog {
  /** Whether each line is JSON, for a program that collects them. */
  isJson: boolean
  /** Writes a line of JSON. */
  write(line: object): void
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
  const log = { isJson, write: (line: object) => write(`${toSafeJson(JSON.stringify(line))}\n`), close: () => {} }
  if (!isJson) return log
  // What ends the command is said in JSON too, so this stays.
  io.err = (text, level = 'info') => {
    // Calls of models and tools are JSON already.
    if (text.startsWith('{')) write(text)
    else log.write({ time: new Date().toISOString(), level, msg: toMessage(text) })
  }
  const before = process.listeners('warning')
  const onWarning = (warning: Error): void => io.err(warning.message, 'warn')
  process.removeAllListeners('warning').on('warning', onWarning)
  return {
    ...log,
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

const toMessage = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/^svc: /, '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
