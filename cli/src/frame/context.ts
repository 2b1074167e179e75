import type { LoadedConfig, Runtime, Warning } from '@svc/core'
import { defined } from '../line/given-options.ts'
import { wrap } from '../line/wrap.ts'
import type { OwnStarted, Started, StartOptions } from '../session/start-own.ts'
import type { Flags } from './flags.ts'
import { type Io, toSafe } from './io.ts'
import type { ServerAddress } from './server-url.ts'

/** What every command works with. */
export interface CommandContext {
  readonly flags: Flags
  readonly io: Io
  /** The server that the command works with; undefined where it has a runtime of its own. */
  readonly server: ServerAddress | undefined
  /** A command for a person to go on with, such as `svc runs list`. */
  commandOf(words: string): string
  /**
   * Reads the config, says on standard error what was left out, and returns it.
   *
   * @param how.saysProblems whether it says which files cannot be used; default true
   */
  load(how?: { saysProblems?: boolean }): Promise<LoadedConfig>
  /**
   * Works with a runtime over the config, or with that of a server, and closes it.
   *
   * @param options.claims which runs it works on; default `none`, for a command that only asks
   * @throws ConfigError `config_invalid` where it needs a store and the config names none that lasts
   */
  use<Result>(options: StartOptions, work: (started: Started) => Promise<Result>): Promise<Result>
  /** The same, of a command that works with no server. */
  useOwn<Result>(options: StartOptionsOf, work: (started: OwnStarted) => Promise<Result>): Promise<Result>
  /** Says what a person should know before a run, without what `load` has said already. */
  sayWarnings(runtime: Runtime): Promise<void>
  /** Whether a message was said before. */
  hasSaid(message: string): boolean
  /** Prints a value as JSON where a flag asks for it, else as the text for so many columns; endless where nobody looks. */
  print(value: unknown, text: (columns: number) => string): void
}

/** How a command wants its runtime, where the config has a say as well. */
type StartOptionsOf = StartOptions | ((loaded: LoadedConfig) => StartOptions)

/** The long form stands in results and in `svc doctor`. */
const toNotice = ({ message }: Warning): string =>
  message.startsWith('no model')
    ? 'no model is set up, so the offline provider answers in quotes: svc doctor'
    : 'the offline provider answers in quotes from what it reads'

/** @param server whose runtime is used; undefined for one of this process */
export function createContext(flags: Flags, io: Io, server: ServerAddress | undefined): CommandContext {
  const said = new Set<string>()
  const warn = (message: string, code?: string): void => {
    // A file gets whole lines; a terminal gets lines that do not break inside words.
    const text = toSafe(code === undefined ? message : `${message} [${code}]`)
    const lines = io.canRedraw ? wrap(text, io.columns - 6) : [text]
    if (!said.has(message)) io.err(`${io.paint.yellow('svc:')} ${lines.join('\n     ')}\n`, 'warn')
    said.add(message)
  }
  const load: CommandContext['load'] = async ({ saysProblems = true } = {}) =>
    (await import('../session/start-own.ts')).loadOwn(flags, io, warn, saysProblems)
  const startOwn = async (options: StartOptionsOf): Promise<OwnStarted> => {
    const { startOwn: begin } = await import('../session/start-own.ts')
    const loaded = await load()
    return begin(loaded, flags, io, warn, typeof options === 'function' ? options(loaded) : options)
  }
  const start = async (options: StartOptions): Promise<Started> => {
    if (server === undefined) return startOwn(options)
    const { createRemoteRuntime } = await import('@svc/sdk/remote')
    const serverKey = await readKeyFile(io)
    const runtime = createRemoteRuntime({
      serverUrl: server.url,
      env: io.env,
      ...defined({ model: flags.model, serverKey }),
    })
    return { runtime, loaded: undefined, space: undefined, isDurable: true }
  }
  return {
    flags,
    io,
    server,
    commandOf: (words) => `svc ${words}${server?.isFlag ? ` --url ${server.url}` : ''}`,
    load,
    use: async (options, work) => closing(await start(options), work),
    useOwn: async (options, work) => closing(await startOwn(options), work),
    async sayWarnings(runtime) {
      for (const warning of (await runtime.health()).warnings) {
        if (warning.code !== 'offline_provider') warn(warning.message)
        else if (!flags.quiet && (await import('../session/offline-notice.ts')).isNoticeDue(io.env)) {
          warn(toNotice(warning))
          // A look at three ports of this machine.
          if (server !== undefined) continue
          const { describeLocalServer, findLocalServers } = await import('@svc/plugins')
          for (const found of await findLocalServers()) warn(describeLocalServer(found))
        }
      }
    },
    hasSaid: (message) => said.has(message),
    print(value, text) {
      if (flags.output === 'text') {
        const shown = toSafe(text(io.outColumns)).replace(/\n+$/, '')
        if (shown !== '') io.out(`${shown}\n`)
      } else io.outJson(value, flags.output === 'json' ? 2 : undefined)
    },
  }
}

/** The first key of the file that `SERVICE_API_KEY_FILE` names, where `SERVICE_API_KEY` is not set. */
async function readKeyFile({ env, hide }: Io): Promise<string | undefined> {
  if ((env.SERVICE_API_KEY ?? '') !== '' || (env.SERVICE_API_KEY_FILE ?? '') === '') return undefined
  const { keyOf, readOwnerKeys } = await import('../serve/service-keys.ts')
  const [key] = readOwnerKeys(env).map(keyOf)
  if (key !== undefined) hide([key])
  return key
}

async function closing<Own extends Started, Result>(started: Own, work: (started: Own) => Promise<Result>) {
  try {
    return await work(started)
  } finally {
    await started.runtime.close()
  }
}
