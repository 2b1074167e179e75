import type { FieldError, LoadedConfig } from '@svc/core'
import { findUnknown, throwIfAny } from '@svc/core/config'
import { findErrors } from '@svc/core/schema'
import { nearest } from '@svc/core/text'
import { SCORERS, type ScorerInput, type ScorerName, type ScorerOptions } from '../design/experiment-schema.ts'
import { command } from './command.ts'
import { contains } from './contains.ts'
import { exact } from './exact.ts'
import { jsonSchema } from './json-schema.ts'
import { judge } from './judge.ts'
import { numeric } from './numeric.ts'
import { own } from './own.ts'
import { pattern } from './pattern.ts'
import type { Scorer } from './scorer.ts'

/** What scorers are made of beside their own options. */
export interface ScorerSurroundings {
  file: string
  folder: string
  loaded: LoadedConfig
  env: NodeJS.ProcessEnv
}

const NAMES = Object.keys(SCORERS) as ScorerName[]

/**
 * Makes the scorer that an experiment names.
 *
 * @throws ConfigError `config_invalid`
 */
export function createScorer(input: ScorerInput, surroundings: ScorerSurroundings): Scorer {
  if (typeof input === 'function') return own(input)
  const { name, options } = toNamed(input, surroundings.file)
  const { folder, loaded, env } = surroundings
  switch (name) {
    case 'exact':
      return exact(options as ScorerOptions['exact'])
    case 'numeric':
      return numeric(options as ScorerOptions['numeric'])
    case 'contains':
      return contains(options as ScorerOptions['contains'])
    case 'pattern':
      return pattern(options as ScorerOptions['pattern'])
    case 'jsonSchema':
      return jsonSchema(options as ScorerOptions['jsonSchema'])
    case 'command':
      return command(options as ScorerOptions['command'], folder, loaded)
    case 'judge':
      return judge(options as ScorerOptions['judge'], loaded, env)
  }
}

function toNamed(input: unknown, file: string): { name: ScorerName; options: unknown } {
  const wrong = (message: string, path = '/scorer'): never => {
    throwIfAny([{ path, message }], file)
    throw new Error(message)
  }
  const isMap = typeof input === 'object' && input !== null && !Array.isArray(input)
  const entries = typeof input === 'string' ? [[input, {}] as const] : isMap ? Object.entries(input) : []
  const [entry, ...more] = entries
  if (entry === undefined || more.length > 0)
    return wrong(
      `must be one of ${NAMES.join(', ')}, one of them with its options, as { numeric: { absolute: 0.01 } }, or a function`,
    )
  const [given, value] = entry
  const name = NAMES.find((known) => known === given)
  if (name === undefined) {
    const guess = nearest(given, NAMES)
    return wrong(
      `"${given}" is no scorer${guess === undefined ? '' : `; did you mean "${guess}"?`} (${NAMES.join(', ')})`,
    )
  }
  const errors: FieldError[] = []
  const options = findUnknown(SCORERS[name], value ?? {}, `/scorer/${name}`, errors)
  const found = findErrors(SCORERS[name], options)
  errors.push(...found.map(({ path, message }) => ({ path: `/scorer/${name}${path}`, message })))
  throwIfAny(errors, file)
  return { name, options }
}
