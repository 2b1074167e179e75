import { ConfigError, type LoadedConfig, type Runtime, type SvcConfig, type TrustQuestion } from '@svc/core'
import { findSkippedDefinition, loadConfig, skippedDefinitionError } from '@svc/core/config'
import { type CreateRuntimeOptions, createRuntime } from '@svc/plugins'
import { createAgentFiles } from './agent-files.ts'
import type { Flags } from './flags.ts'
import { type Io, toSafe } from './io.ts'
import { wrap } from './wrap.ts'

/** What every command works with. */
export interface CommandContext {
  readonly flags: Flags
  readonly io: Io
  /** Reads the config, says on standard error what was left out, and returns it. */
  load(): Promise<LoadedConfig>
  /**
   * Starts a runtime over the config. The caller closes it.
   *
   * @param options.claims which runs it works on; default `none`, for a command that only asks
   * @throws ConfigError `config_invalid` where it needs a store and the config names none that lasts
   */
  start(options?: StartOptions): Promise<Started>
  /** Says what a person should know before a run, without what `load` has said already. */
  sayWarnings(runtime: Runtime): Promise<void>
  /** Whether a message was said before. */
  hasSaid(message: string): boolean
  /** Prints a value as JSON where a flag asks for it, else as the text. */
  print(value: unknown, text: () => string): void
}

export interface StartOptions extends Pick<CreateRuntimeOptions, 'onTap' | 'claims' | 'drainMs'> {
  /** False: nothing of its runs is kept. Default true. */
  persist?: boolean
  /** The command is of no use where runs last no longer than the process. Default false. */
  needsStore?: boolean
}

export interface Started {
  runtime: Runtime
  /**
   * Reads the config again and goes on under it. Nobody is asked anything.
   *
   * @returns the new config
   * @throws SvcError for a config that cannot be used, or of which less can be used than before; then nothing has changed
   */
  reload(): Promise<LoadedConfig>
  loaded: LoadedConfig
  /** Whether its runs outlive this process. */
  isDurable: boolean
}

export function createContext(flags: Flags, io: Io): CommandContext {
  const said = new Set<string>()
  const warn = (message: string): void => {
    // A file gets whole lines; a terminal gets lines that do not break inside words.
    const lines = io.canRedraw ? wrap(toSafe(message), io.columns - 6) : [toSafe(message)]
    if (!said.has(message)) io.err(`${io.paint.yellow('svc:')} ${lines.join('\n     ')}\n`)
    said.add(message)
  }
  const read = (mayAsk: boolean): Promise<LoadedConfig> =>
    loadConfig({
      env: io.env,
      flags: toConfig(flags),
      packages: { '@svc/plugins': () => import('@svc/plugins'), '@svc/sdk': () => import('@svc/sdk') },
      ...(flags.config === undefined ? {} : { configFile: flags.config }),
      ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
      ...(flags.trust ? { trust: true } : {}),
      ...(mayAsk && io.isInteractive && !flags.quiet && flags.output === 'text'
        ? { ask: (question: TrustQuestion) => askTrust(question, io) }
        : {}),
    })
  const load = async (): Promise<LoadedConfig> => {
    const loaded = await read(true)
    for (const { message } of loaded.warnings) warn(message)
    for (const { file, error } of loaded.problems)
      warn(`${error.message.includes(file) ? '' : `${file}: `}${error.message} [${error.code}]`)
    return loaded
  }
  const start: CommandContext['start'] = async ({
    persist = true,
    needsStore = false,
    claims = 'none',
    ...rest
  } = {}) => {
    const loaded = await load()
    const isDurable = persist && !isInMemory(loaded)
    if (needsStore && !isDurable)
      throw new ConfigError(
        'config_invalid',
        'runs are not kept here: /store/url says memory. Take it out of the config to keep them in the data folder',
      )
    refuseSkipped(loaded, flags)
    const options: CreateRuntimeOptions = {
      env: io.env,
      agentFiles: createAgentFiles(loaded),
      persist,
      claims,
      ...rest,
    }
    const runtime = await createRuntime(loaded, options)
    const reload = async (): Promise<LoadedConfig> => {
      const next = await read(false)
      assertUsable(next, loaded)
      await runtime.reload(next)
      return next
    }
    return { runtime, loaded, isDurable, reload }
  }
  return {
    flags,
    io,
    load,
    start,
    async sayWarnings(runtime) {
      for (const { message } of (await runtime.health()).warnings) warn(message)
    },
    hasSaid: (message) => said.has(message),
    print(value, text) {
      if (flags.output === 'text') {
        const shown = toSafe(text()).replace(/\n+$/, '')
        if (shown !== '') io.out(`${shown}\n`)
      } else io.outJson(value, flags.output === 'json' ? 2 : undefined)
    },
  }
}

/** Whether runs last no longer than the process, because the config says so. */
const isInMemory = ({ config }: LoadedConfig): boolean => config.store?.url?.startsWith('memory') === true

/**
 * A server that has begun with a config does not go on with half of it.
 *
 * @throws SvcError for a file that cannot be used, or is not trusted any more
 */
function assertUsable(next: LoadedConfig, before: LoadedConfig): void {
  if (before.trusted && !next.trusted)
    throw new ConfigError('config_untrusted', next.warnings.map(({ message }) => message).join('; '))
  const known = new Set(before.problems.map(({ file }) => file))
  const problem = next.problems.find(({ file }) => !known.has(file))
  if (problem === undefined) return
  const { file, error } = problem
  throw error.message.includes(file) ? error : new ConfigError('config_invalid', `${file}: ${error.message}`)
}

/** The flags as the strongest layer of the config. */
function toConfig({ provider, model, rest: { concurrency } }: Flags): SvcConfig {
  return {
    ...(concurrency === undefined ? {} : { server: { limits: { runningRuns: Number(concurrency) } } }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined
      ? {}
      : { model: provider === undefined || model.startsWith(`${provider}/`) ? model : `${provider}/${model}` }),
  }
}

/** A flag that names what an untrusted file defines is refused with the file's name, not as unknown. */
function refuseSkipped(loaded: LoadedConfig, { provider, model, agent }: Flags): void {
  const named = [
    ...(provider === undefined ? [] : [['provider', provider] as const]),
    ...(model?.includes('/') === true ? [['provider', model.slice(0, model.indexOf('/'))] as const] : []),
    ...agent.map((id) => ['agent', id] as const),
  ]
  for (const [kind, id] of named) {
    const known =
      kind === 'provider'
        ? loaded.providers.some((entry) => entry.id === id)
        : loaded.agents.some((entry) => entry.id === id)
    const file = known ? undefined : findSkippedDefinition(loaded, kind, id)
    if (file !== undefined) throw skippedDefinitionError(file, kind, id)
  }
}

async function askTrust(question: TrustQuestion, io: Io): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const what =
    question.state === 'changed' ? `changed since it was trusted: ${question.changed.join(', ')}` : 'was never trusted'
  io.err(
    toSafe(`${question.folder} ${what}. Trusting it allows:\n${question.runs.map((line) => `  ${line}\n`).join('')}`),
  )
  const answer = await confirm({ message: 'Trust this folder?', initialValue: false, output: process.stderr })
  return !isCancel(answer) && answer
}
