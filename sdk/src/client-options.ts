import {
  type Approval,
  ConfigError,
  type Decision,
  nearest,
  type Plugin,
  type SvcConfig,
  toTopology,
  ValidationError,
} from '@svc/core'

/** How a client is made. Everything is optional. */
export interface ServiceClientOptions {
  /** Id of the model provider. Default: found in the environment, else `offline`. */
  provider?: string
  /** The model provider's key. Default: from the environment. Needs `provider` or `baseUrl`. */
  apiKey?: string
  /** Default: the provider's own. */
  model?: string
  /** Address of a model endpoint, OpenAI-compatible unless `provider` speaks another format. */
  baseUrl?: string
  /** Soft budget of a run in tokens, input and output together. Default 64000. */
  tokenBudget?: number
  /** What the analyzer falls back to. Default `SINGLE`. */
  defaultTopology?: string
  /** Whether summaries of recent runs are kept and recalled by the next run. Default true. */
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
  /** Whether the folder's own code and settings may be used, for this client. Default: as `svc trust` recorded. */
  trust?: boolean
  /** Variables to read instead of the process's. */
  env?: Readonly<Record<string, string | undefined>>
  /** Reaches model providers. Default the global one. */
  fetch?: typeof fetch
  /** Address of a running svc server. */
  serverUrl?: string
  /** The server's key. */
  serverKey?: string
  /** Over HTTP: how long a request may take. */
  timeoutMs?: number
  /** Over HTTP: how often a request is tried again. */
  maxRetries?: number
}

const KNOWN: { readonly [Name in keyof Required<ServiceClientOptions>]: 1 } = {
  provider: 1,
  apiKey: 1,
  model: 1,
  baseUrl: 1,
  tokenBudget: 1,
  defaultTopology: 1,
  persistSessions: 1,
  config: 1,
  plugins: 1,
  components: 1,
  cwd: 1,
  signal: 1,
  onApproval: 1,
  throwOnFailure: 1,
  trust: 1,
  env: 1,
  fetch: 1,
  serverUrl: 1,
  serverKey: 1,
  timeoutMs: 1,
  maxRetries: 1,
}

/** Options that belong to a runtime of one's own. */
const EMBEDDED = ['provider', 'apiKey', 'baseUrl', 'plugins', 'components', 'config'] as const

/**
 * Says what is wrong with options before anything is made of them.
 *
 * @throws ValidationError `validation_failed` for an unknown option or a value out of range; ConfigError `config_invalid`
 *   for options that exclude each other
 */
export function checkOptions(options: ServiceClientOptions): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(KNOWN, name)) continue
    const guess = nearest(name, Object.keys(KNOWN))
    throw invalid(name, `is no option of ServiceClient${guess === undefined ? '' : `: did you mean ${guess}?`}`)
  }
  const { tokenBudget, defaultTopology, serverUrl, apiKey, provider, baseUrl, signal } = options
  if (tokenBudget !== undefined && (!Number.isInteger(tokenBudget) || tokenBudget < 1)) {
    throw invalid('tokenBudget', `must be a whole number of tokens above 0, not ${tokenBudget}`)
  }
  if (defaultTopology !== undefined && toTopology(defaultTopology) === undefined) {
    throw invalid(
      'defaultTopology',
      `"${defaultTopology}" is no topology: use SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED or HYBRID`,
    )
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal', 'must be an AbortSignal')
  if (baseUrl !== undefined && !/^https?:\/\//.test(baseUrl))
    throw invalid('baseUrl', `must start with http:// or https://, not "${baseUrl}"`)
  if (serverUrl !== undefined) refuseServer(options)
  if (apiKey !== undefined && provider === undefined && baseUrl === undefined) {
    throw new ConfigError(
      'config_invalid',
      'apiKey: say whose key it is with provider, such as provider: "anthropic", or give a baseUrl',
    )
  }
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

function invalid(path: string, message: string): ValidationError {
  return new ValidationError('validation_failed', `${path}: ${message}`, { errors: [{ path: `/${path}`, message }] })
}
