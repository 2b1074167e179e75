import { resolve } from 'node:path'
import { didYouMean, wrong } from '../line/wrong.ts'

/** What is logged of each call of a model or tool: nothing, that it was made, or also what was asked and answered. */
export const LOG_LEVELS = ['off', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LogOptions {
  level: Exclude<LogLevel, 'off'>
  /** Undefined: standard error. */
  file?: string
}

/**
 * What `--log-level` and `SVC_LOG` ask for. `SVC_LOG` is a level, or the path of a file with a `/`, `\` or `.` in it; a
 * file gets everything unless the flag says less.
 *
 * @returns undefined where nothing is to be logged
 * @throws ValidationError `validation_failed` for a `SVC_LOG` that is neither
 */
export function readLogSettings(
  flag: LogLevel | undefined,
  env: Readonly<Record<string, string | undefined>>,
): LogOptions | undefined {
  const said = env.SVC_LOG?.trim() ?? ''
  const isFile = /[/\\.]/.test(said)
  const named = LOG_LEVELS.find((level) => level === said.toLowerCase())
  if (said !== '' && !isFile && named === undefined) {
    const hint = didYouMean(said.toLowerCase(), LOG_LEVELS)
    const message = `must be ${LOG_LEVELS.join(', ')}, or the path of a file such as ./svc.log, not "${said.slice(0, 80)}"${hint}`
    throw wrong(`SVC_LOG ${message}`, 'SVC_LOG', message)
  }
  const level = flag ?? named ?? (isFile ? 'debug' : 'off')
  if (level === 'off') return undefined
  return isFile ? { level, file: resolve(said) } : { level }
}
