import { ConfigError, type Plugin, type SvcConfig, type Tool, type TopologyName } from '@svc/core'
import {
  CLIENT_CHECKS,
  type ClientOptions,
  checkValues,
  isObject,
  OBJECT,
  type OptionCheck,
  SWITCH,
  TEXT,
} from './option-checks.ts'
import { REMOTE_CHECKS, type RemoteOptions } from './remote/remote-options.ts'

/** Options of a client. All are optional. */
export interface ServiceClientOptions extends ClientOptions, Partial<RemoteOptions> {
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
  defaultTopology?: TopologyName | 'AUTO'
  /**
   * Whether summaries of recent runs are kept and recalled by the next run. Default true. They last as long as the client;
   * with `store.dir`, `SVC_DATA_DIR` or a folder `.svc/data` in the project they outlive it, as those of the command line.
   */
  persistSessions?: boolean
  /** A config file, a config, or false to read none. Default: the files that the command line reads. */
  config?: string | SvcConfig | false
  /** Asked before the default plugins, after those of the config. */
  plugins?: readonly Plugin[]
  /** Tools of this program, beside those of the config and the built-in ones: what `defineTool` makes. */
  tools?: readonly Tool[]
  /** Other plugins in the slots of the defaults; `false` switches one off. */
  components?: NonNullable<SvcConfig['components']>
  /** The folder that tools work in and that configs are looked for from. Default the working folder. */
  cwd?: string
  /** Whether this client uses the folder's own code and settings. Default: as `svc trust` recorded. */
  trust?: boolean
  /** Reaches model providers, or the server. Default the global one. */
  fetch?: typeof fetch
  /** Address of a server: the client then talks to it, instead of running embedded. */
  serverUrl?: string
}

const isPlugin = (value: unknown): boolean =>
  isObject(value) && typeof Reflect.get(value as object, 'apply') === 'function'

const isTool = (value: unknown): boolean =>
  isObject(value) && ['id', 'description', 'parameters', 'risk', 'run'].every((name) => name in (value as object))

/** Options of an embedded runtime that a server has of its own. */
const EMBEDDED = {
  provider: TEXT,
  apiKey: TEXT,
  baseUrl: [
    (value) => typeof value === 'string' && /^https?:\/\//.test(value),
    'an address that starts with http:// or https://',
  ],
  defaultTopology: TEXT,
  persistSessions: SWITCH,
  config: [(value) => value === false || TEXT[0](value) || isObject(value), 'a path, a config or false'],
  plugins: [
    Array.isArray,
    'a list of plugins',
    [isPlugin, 'a plugin, with name and apply; what definePlugin returns is a function to be called'],
  ],
  tools: [Array.isArray, 'a list of tools', [isTool, 'a tool as defineTool makes it']],
  components: OBJECT,
  cwd: TEXT,
  trust: SWITCH,
} as const satisfies { readonly [Name in keyof ServiceClientOptions]: OptionCheck }

/** Options that mean something only with a server. */
const REMOTE = ['serverKey', 'timeoutMs', 'patienceMs', 'maxRetries', 'onConnection', 'onBusy'] as const

const CHECKS: { readonly [Name in keyof Required<ServiceClientOptions>]: OptionCheck } = {
  ...CLIENT_CHECKS,
  ...REMOTE_CHECKS,
  ...EMBEDDED,
}

/**
 * Checks options before anything is created.
 *
 * @throws ValidationError `validation_failed` for an unknown option or a value out of range; ConfigError `config_invalid`
 *   for options that exclude each other
 */
export function checkOptions(options: ServiceClientOptions): void {
  checkValues(CHECKS, options)
  const { serverUrl, apiKey, provider, baseUrl } = options
  const isGiven = (name: keyof ServiceClientOptions): boolean => options[name] !== undefined
  const wrong =
    serverUrl === undefined
      ? REMOTE.filter(isGiven)
      : (Object.keys(EMBEDDED) as (keyof typeof EMBEDDED)[]).filter(isGiven)
  const them = wrong.length === 1 ? 'it' : 'them'
  if (wrong.length > 0 && serverUrl === undefined)
    throw new ConfigError(
      'config_invalid',
      `${wrong.join(', ')}: of use with a serverUrl only: give one, or leave ${them} out`,
    )
  if (wrong.length > 0)
    throw new ConfigError(
      'config_invalid',
      `serverUrl: the server has its own ${wrong.join(', ')}: leave ${them} out, or leave out serverUrl`,
    )
  if (apiKey !== undefined && provider === undefined && baseUrl === undefined) {
    throw new ConfigError(
      'config_invalid',
      'apiKey: say whose key it is with provider, such as provider: "anthropic", or give a baseUrl',
    )
  }
}
