import { SvcConfig } from '../../contracts/config.ts'
import type { FieldError } from '../../errors.ts'
import { findErrors } from '../../validate.ts'
import type { EnvironmentVariables } from '../find/paths.ts'
import { throwIfAny } from './check-config.ts'
import { invalid } from './config-error.ts'

interface Variable {
  readonly name: string
  /** Where its value goes in the config; absent: it controls the loading itself. */
  readonly path?: readonly [string] | readonly [string, string]
  readonly kind: 'text' | 'integer' | 'number' | 'switch'
  readonly meaning: string
}

/** Every environment variable that sets something. An empty one counts as unset. */
export const CONFIG_VARIABLES: readonly Variable[] = [
  {
    name: 'SVC_CONFIG',
    kind: 'text',
    meaning: 'a config file to read beside the others; it is trusted, like --config',
  },
  { name: 'SVC_TRUST', kind: 'switch', meaning: '1: trust the folder for this once, like --trust' },
  { name: 'SVC_DATA_DIR', kind: 'text', meaning: 'where runs and memories are kept, unless store.dir says' },
  { name: 'SVC_MODEL', path: ['model'], kind: 'text', meaning: 'provider/model of every agent' },
  { name: 'SVC_PROVIDER', path: ['provider'], kind: 'text', meaning: 'id of the provider to use' },
  { name: 'SVC_TOKEN_BUDGET', path: ['tokenBudget'], kind: 'integer', meaning: 'soft budget of a run, in tokens' },
  {
    name: 'SVC_MAX_TOKENS',
    path: ['budget', 'maxTokens'],
    kind: 'integer',
    meaning: 'hard budget of a run, in tokens',
  },
  { name: 'SVC_MAX_COST_USD', path: ['budget', 'maxCostUsd'], kind: 'number', meaning: 'hard budget, in US dollars' },
  { name: 'SVC_TOPOLOGY', path: ['defaultTopology'], kind: 'text', meaning: 'what the analyzer falls back to' },
  { name: 'SVC_DATABASE_URL', path: ['store', 'url'], kind: 'text', meaning: 'database that runs are kept in' },
]

/** The settings of the environment, one layer for each variable. */
export interface EnvironmentLayer {
  source: string
  config: SvcConfig
}

/**
 * Reads the settings of environment variables.
 *
 * @throws ConfigError `config_invalid` naming the variable
 */
export function readEnvironment(env: EnvironmentVariables): EnvironmentLayer[] {
  return CONFIG_VARIABLES.flatMap(({ name, path, kind }) => {
    const text = env[name]?.trim()
    if (path === undefined || text === undefined || text === '') return []
    const value = toValue(text, kind)
    if (value === undefined)
      throw invalid(`environment variable ${name}`, `must be ${EXPECTED[kind]}, not "${text.slice(0, 80)}"`)
    const [section, field] = path
    const config = (field === undefined ? { [section]: value } : { [section]: { [field]: value } }) as SvcConfig
    throwIfAny(checkNumbers(config), `environment variable ${name}`)
    return [{ source: `environment variable ${name}`, config }]
  })
}

const EXPECTED: Readonly<Record<Variable['kind'], string>> = {
  text: 'a text',
  integer: 'a whole number',
  number: 'a number',
  switch: '0 or 1',
}

function toValue(text: string, kind: Variable['kind']): string | number | undefined {
  if (kind === 'text' || kind === 'switch') return text
  const number = /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
  return Number.isNaN(number) || (kind === 'integer' && !Number.isInteger(number)) ? undefined : number
}

/** The schema bounds numbers; it is compiled only when a number is set. */
function checkNumbers(config: SvcConfig): FieldError[] {
  const [value] = Object.values(config)
  return typeof value === 'string' ? [] : findErrors(SvcConfig, config)
}

/** Whether a switch such as `SVC_TRUST` is on. */
export const isOn = (value: string | undefined): boolean => value === '1' || value?.toLowerCase() === 'true'
