import { type Effort, type RiskLevel, TOPOLOGIES, toTopology, ValidationError } from '@svc/core'
import { SLUG } from '@svc/core/schema'
import { nearest } from '@svc/core/text'
import { LOG_LEVELS, type LogLevel } from './log-settings.ts'
import type { Options } from './options.ts'

/** The flags, checked. */
export interface Flags {
  output: 'text' | 'json' | 'stream-json'
  quiet: boolean
  verbose: boolean
  color: boolean
  input: boolean
  yes: boolean
  config?: string
  cwd?: string
  trust: boolean
  provider?: string
  model?: string
  topology?: string
  risk?: RiskLevel
  budget?: number
  maxCost?: number
  priority?: number
  temperature?: number
  effort?: Effort
  maxOutput?: number
  /** False: nothing is recalled or remembered. */
  memory: boolean
  /** Go on with the newest conversation of the folder. */
  continue: boolean
  timeoutMs?: number
  agent: string[]
  file: string[]
  schema?: string
  thread?: string
  /** Address of a server. */
  url?: string
  dryRun: boolean
  traceHooks: boolean
  online: boolean
  logLevel?: LogLevel
  /** Ask each model one question. */
  check: boolean
  /** Flags of one command, as they came. */
  rest: Options
}

const OUTPUTS = ['text', 'json', 'stream-json'] as const
const MOST_PRIORITY = 100
const MOST_TEMPERATURE = 2
const EFFORTS = ['low', 'medium', 'high'] as const
const RISKS = ['low', 'medium', 'high', 'critical'] as const

/**
 * Parses and checks the options' texts.
 *
 * @throws ValidationError `validation_failed` naming the flag
 */
export function readFlags(options: Options): Flags {
  const text = (name: string): string | undefined => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const list = (name: string): string[] => {
    const value = options[name]
    return Array.isArray(value) ? value : []
  }
  const topology = text('topology')
  if (topology !== undefined && toTopology(topology) === undefined)
    throw unknown('topology', topology, ['AUTO', ...TOPOLOGIES])
  const budget = number(text('budget'), 'budget')
  if (budget !== undefined && (!Number.isInteger(budget) || budget < 1))
    throw invalid('budget', `must be a whole number of tokens above 0, not ${budget}`)
  const maxCost = number(text('maxCost'), 'max-cost')
  if (maxCost !== undefined && maxCost <= 0)
    throw invalid('max-cost', `must be an amount of US dollars above 0, not ${maxCost}`)
  const priority = number(text('priority'), 'priority')
  if (priority !== undefined && !(Number.isInteger(priority) && Math.abs(priority) <= MOST_PRIORITY))
    throw invalid('priority', `must be a whole number from -${MOST_PRIORITY} to ${MOST_PRIORITY}, not ${priority}`)
  const temperature = number(text('temperature'), 'temperature')
  if (temperature !== undefined && !(temperature >= 0 && temperature <= MOST_TEMPERATURE))
    throw invalid('temperature', `must be a number from 0 to ${MOST_TEMPERATURE}, not ${temperature}`)
  const maxOutput = number(text('maxOutput'), 'max-output')
  if (maxOutput !== undefined && (!Number.isInteger(maxOutput) || maxOutput < 1))
    throw invalid('max-output', `must be a whole number of tokens above 0, not ${maxOutput}`)
  if (options.continue === true && text('thread') !== undefined)
    throw invalid('continue', 'goes on with the newest conversation, --thread with one that is named: leave one out')
  for (const id of list('agent')) {
    if (!SLUG.test(id))
      throw invalid(
        'agent',
        `must be the id of a profile, such as reviewer, not "${id.slice(0, 80)}": see svc agents list`,
      )
  }
  const output = options.json === true ? 'json' : (oneOf('output', text('output'), OUTPUTS) ?? 'text')
  const risk = oneOf('risk', text('risk'), RISKS)
  const logLevel = oneOf('log-level', text('logLevel'), LOG_LEVELS)
  const effort = oneOf('effort', text('effort'), EFFORTS)
  const timeoutMs = toMs(text('timeout'))
  return {
    output,
    quiet: options.quiet === true,
    verbose: options.verbose === true,
    color: options.noColor !== true,
    input: options.noInput !== true,
    yes: options.yes === true,
    trust: options.trust === true,
    dryRun: options.dryRun === true,
    traceHooks: options.traceHooks === true,
    online: options.online === true,
    memory: options.noMemory !== true,
    continue: options.continue === true,
    check: options.check === true,
    agent: list('agent'),
    file: list('file'),
    ...defined({
      config: text('config'),
      cwd: text('cwd'),
      provider: text('provider'),
      model: text('model'),
      schema: text('schema'),
      thread: text('thread'),
      url: text('url'),
      topology,
      risk,
      budget,
      maxCost,
      priority,
      temperature,
      effort,
      maxOutput,
      timeoutMs,
      logLevel,
    }),
    rest: options,
  }
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>

export function invalid(flag: string, message: string): ValidationError {
  return new ValidationError('validation_failed', `--${flag} ${message}`, { errors: [{ path: `/${flag}`, message }] })
}

function unknown(flag: string, value: string, known: readonly string[]): ValidationError {
  const guess = nearest(value, known)
  return invalid(
    flag,
    `must be one of ${known.join(', ')}, not "${value}"${guess === undefined ? '' : `: did you mean ${guess}?`}`,
  )
}

export function oneOf<T extends string>(flag: string, value: string | undefined, known: readonly T[]): T | undefined {
  if (value === undefined) return undefined
  const found = known.find((word) => word === value.toLowerCase())
  if (found === undefined) throw unknown(flag, value, known)
  return found
}

function number(value: string | undefined, flag: string): number | undefined {
  if (value === undefined) return undefined
  if (!/^[+-]?\d[\d_]{0,20}(\.\d{1,20})?$/.test(value)) throw invalid(flag, `must be a number, not "${value}"`)
  return Number(value.replaceAll('_', ''))
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** `90`, `90s`, `500ms`, `2m`, `1h`: seconds where no unit is given. */
function toMs(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value)
  const ms = match === null ? 0 : Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1_000)
  if (ms <= 0) throw invalid('timeout', `must be a time such as 90s, 500ms or 2m, not "${value}"`)
  return ms
}
