import {
  type Approval,
  ConfigError,
  type Decision,
  type Plugin,
  type SvcConfig,
  toTopology,
  ValidationError,
} from '@svc/core'
import { nearest } from '@svc/core/text'

/** Options of a client. All are optional. */
export interface ServiceClientOptions {
  /** Id of the model provider. Default: found in the environment, else `offline`. */
  provider?: string
  /** The model provider's key. Default: from the environment. Needs `provider` or `baseUrl`. */
  apiKey?: string
  /** Default: the provider's own. */
  model?: string
  /** Address of a model endpoint, OpenAI-compatible unless `provider` uses another format. */
  baseUrl?: string
  /** Soft budget of a run in tokens, input and output together. Default 64000. */
  tokenBudget?: number
  /** What the analyzer falls back to. Default `SINGLE`. */
  defaultTopology?: string
  /**
   * Whether summaries of recent runs are kept and recalled by the next run. Default true. They last as long as the client;
   * with `store.dir`, `SVC_DATA_DIR` or a folder `.svc/data` in the project they outlive it, as those of the command line.
   */
  persistSessions?: boolean
  /** A config file, a config, or false to read none. Default: the files that the command line reads. */
  config?: string | SvcConfig | false
  /** Asked before the default plugins, after those of the config. */
  plugins?: readonly Plugin[]
  /** Other plugins in the slots of the defaults; `false` switches one off. */
  components?: NonNullable<SvcConfig['components']>
  /** The folder that tools work in and that configs are looked for from. Default the working folder. */
  cwd?: string
  /** Aborting it cancels every run of this client. */
  signal?: AbortSignal
  /** Answers when a tool needs a person's permission. Without it such a tool is denied. */
  onApproval?: (approval: Approval) => Decision | Promise<Decision>
  /** True: a run that fails rejects instead of resolving with its status. Default false. */
  throwOnFailure?: boolean
  /** Whether this client uses the folder's own code and settings. Default: as `svc trust` recorded. */
  trust?: boolean
  /** Variables to read instead of the process's. */
  env?: Readonly<Record<string, string | undefined>>
  /** Reaches model providers. Default the global one. */
  fetch?: typeof fetch
  /** Refused until svc has a server; here so that the error says so. */
  serverUrl?: string
}

type Check = readonly [fits: (value: unknown) => boolean, mustBe: string]

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const isPlugin = (value: unknown): boolean =>
  isObject(value) && typeof Reflect.get(value as object, 'apply') === 'function'

const TEXT: Check = [(value) => typeof value === 'string' && value !== '', 'a text']
const SWITCH: Check = [(value) => typeof value === 'boolean', 'true or false']
const FUNCTION: Check = [(value) => typeof value === 'function', 'a function']
const OBJECT: Check = [isObject, 'an object']

/** What every option must be; programs without types may hand over anything. */
const CHECKS: { readonly [Name in keyof Required<ServiceClientOptions>]: Check } = {
  provider: TEXT,
  apiKey: TEXT,
  model: TEXT,
  baseUrl: [
    (value) => typeof value === 'string' && /^https?:\/\//.test(value),
    'an address that starts with http:// or https://',
  ],
  tokenBudget: [(value) => Number.isInteger(value) && Number(value) >= 1, 'a whole number of tokens above 0'],
  defaultTopology: [
    (value) => typeof value === 'string' && toTopology(value) !== undefined,
    'a topology: SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED or HYBRID',
  ],
  persistSessions: SWITCH,
  config: [(value) => value === false || TEXT[0](value) || isObject(value), 'a path, a config or false'],
  plugins: [(value) => Array.isArray(value) && value.every(isPlugin), 'a list of plugins, each with name and apply'],
  components: OBJECT,
  cwd: TEXT,
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  onApproval: FUNCTION,
  throwOnFailure: SWITCH,
  trust: SWITCH,
  env: OBJECT,
  fetch: FUNCTION,
  serverUrl: TEXT,
}

/** Options of an embedded runtime. */
const EMBEDDED = ['provider', 'apiKey', 'baseUrl', 'plugins', 'components', 'config'] as const

/**
 * Checks options before anything is created.
 *
 * @throws ValidationError `validation_failed` for an unknown option or a value out of range; ConfigError `config_invalid`
 *   for options that exclude each other
 */
export function checkOptions(options: ServiceClientOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) {
      const guess = nearest(name, Object.keys(CHECKS))
      throw invalid(name, `is no option of ServiceClient${guess === undefined ? '' : `: did you mean ${guess}?`}`)
    }
    const [fits, mustBe] = CHECKS[name as keyof ServiceClientOptions]
    if (value !== undefined && !fits(value)) throw invalid(name, `must be ${mustBe}, not ${describe(value)}`)
  }
  const { serverUrl, apiKey, provider, baseUrl } = options
  if (serverUrl !== undefined) refuseServer(options)
  if (apiKey !== undefined && provider === undefined && baseUrl === undefined) {
    throw new ConfigError(
      'config_invalid',
      'apiKey: say whose key it is with provider, such as provider: "anthropic", or give a baseUrl',
    )
  }
}

/** @throws ValidationError `validation_failed` for anything but an AbortSignal */
export function checkSignal(signal: unknown): void {
  const [fits, mustBe] = CHECKS.signal
  if (signal !== undefined && !fits(signal)) throw invalid('signal', `must be ${mustBe}, not ${describe(signal)}`)
}

function refuseServer(options: ServiceClientOptions): never {
  const both = EMBEDDED.filter((name) => options[name] !== undefined)
  if (both.length > 0) {
    throw new ConfigError(
      'config_invalid',
      `serverUrl: the server has its own ${both.join(', ')}: leave ${both.length === 1 ? 'it' : 'them'} out, or leave out serverUrl`,
    )
  }
  throw new ConfigError(
    'config_invalid',
    'serverUrl: this version of svc has no server yet, so a client runs embedded: leave serverUrl out',
  )
}

/** A value as an error shows it; of a long text, which may be a key, only the length. */
function describe(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? `a text of ${value.length} characters` : `"${value}"`
  if (Array.isArray(value)) return 'that list'
  return typeof value === 'object' && value !== null ? 'that object' : String(value)
}

function invalid(path: string, message: string): ValidationError {
  return new ValidationError('validation_failed', `${path}: ${message}`, { errors: [{ path: `/${path}`, message }] })
}
