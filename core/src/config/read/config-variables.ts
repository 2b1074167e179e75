import { SvcConfig } from '../../contracts/config.ts'

/** A field of a config, or what controls the loading itself, as an environment variable. */
export interface ConfigVariable {
  readonly name: string
  /** Where its value goes in the config; absent: it controls the loading itself. */
  readonly path?: readonly string[]
  /** `list`: words separated by commas, or JSON; `module`: the path of a module, or `false`. */
  readonly kind: 'text' | 'integer' | 'number' | 'switch' | 'list' | 'module' | 'json'
  readonly meaning: string
  readonly default?: unknown
}

/** Short names, and what no field of a config says. */
export const CONFIG_VARIABLES: readonly ConfigVariable[] = [
  {
    name: 'SVC_CONFIG',
    kind: 'text',
    meaning: 'a config file to read beside the others; it is trusted, like --config',
  },
  { name: 'SVC_TRUST', kind: 'switch', meaning: '1: trust the folder for this once, like --trust' },
  { name: 'SVC_DATA_DIR', kind: 'text', meaning: 'where runs and memories are kept, unless store.dir says' },
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

/** What of a schema says how a value is written. */
interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly unknown[]
  readonly description?: string
  readonly default?: unknown
}

/** Files that a variable names are no text of a variable. */
const NO_VARIABLE: ReadonlySet<string> = new Set(['extends'])

/** Fields that name code. */
const CODE: Readonly<Record<string, ConfigVariable['kind'] | undefined>> = { plugins: 'list', components: 'module' }

let known: ReadonlyMap<string, ConfigVariable> | undefined

/** Every variable that sets something, by its name: a field `server.limits.runningRuns` is `SVC_SERVER_LIMITS_RUNNING_RUNS`. */
export function configVariables(): ReadonlyMap<string, ConfigVariable> {
  known ??= new Map(
    [...CONFIG_VARIABLES, ...fieldsOf(SvcConfig as Shape, [])].map((variable) => [variable.name, variable]),
  )
  return known
}

function fieldsOf({ properties = {} }: Shape, above: readonly string[]): ConfigVariable[] {
  return Object.entries(properties).flatMap(([field, shape]) => {
    const path = [...above, field]
    if (NO_VARIABLE.has(path.join('.'))) return []
    if (shape.properties !== undefined) return fieldsOf(shape, path)
    const meaning = shape.description ?? shape.items?.description ?? ''
    const kind = CODE[above[0] ?? field] ?? kindOf(shape)
    return { name: nameOf(path), path, kind, meaning, default: shape.default }
  })
}

const nameOf = (path: readonly string[]): string =>
  `SVC_${path.map((field) => field.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('-', '_')).join('_')}`.toUpperCase()

function kindOf({ type, items, enum: words, anyOf }: Shape): ConfigVariable['kind'] {
  if (type === 'integer' || type === 'number') return type
  if (type === 'boolean') return 'switch'
  if (type === 'array') return items?.type === 'string' ? 'list' : 'json'
  return type === 'string' || (words !== undefined && anyOf === undefined) ? 'text' : 'json'
}
