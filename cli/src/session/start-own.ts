import { relative } from 'node:path'
import {
  CancelledError,
  ConfigError,
  type EmbeddedRuntime,
  type LoadedConfig,
  type Runtime,
  type SvcConfig,
  type SvcError,
  secretsOfConfig,
  secretsOfVariables,
  type TrustQuestion,
} from '@svc/core'
import { toVisible } from '@svc/core/client'
import {
  defaultUserDir,
  describeProblem,
  findSkippedDefinition,
  loadConfig,
  shown,
  skippedDefinitionError,
} from '@svc/core/config'
import {
  type ConfiguredRuntime,
  type CreateRuntimeOptions,
  createRuntime,
  localCaller,
  openAuditLog,
  openRulesFile,
  personalAuditDir,
  spaceOf,
} from '@svc/plugins'
import type { Flags } from '../frame/flags.ts'
import type { Io } from '../frame/io.ts'
import { defined } from '../line/given-options.ts'
import { createAgentFiles } from './agent-files.ts'
import { auditTrust } from './audit-trust.ts'
import { createCallLog } from './call-log.ts'
import { readLogSettings } from './log-options.ts'

/** How a command wants its runtime. */
export interface StartOptions extends Pick<CreateRuntimeOptions, 'claims' | 'cassette' | 'drainMs' | 'editor'> {
  /** False: nothing of its runs is kept. Default true. */
  persist?: boolean
  /** The command is of no use where runs last no longer than the process: true, or the reason. Default false. */
  needsStore?: boolean | string
  /** The command is of no use where the default model's provider cannot be used: it fails at once. Default false. */
  needsModel?: boolean
}

/** A runtime that a command works with. */
export interface Started {
  runtime: Runtime
  /** Undefined of a server, which has read a config of its own. */
  loaded: LoadedConfig | undefined
  /** This project, as runs name it; undefined of a server, whose runs are all here. */
  space: string | undefined
  /** Whether its runs outlive this process. */
  isDurable: boolean
}

/** A runtime of this process. */
export interface OwnStarted extends Started {
  runtime: EmbeddedRuntime
  loaded: LoadedConfig
  space: string
  /**
   * Reads the config again and goes on under it. Nobody is asked anything.
   *
   * @returns the new config
   * @throws SvcError for a config that cannot be used, or of which less can be used than before; then nothing has changed
   */
  reload(): Promise<LoadedConfig>
}

/** Reads the config. @param mayAsk whether a person may be asked to trust the folder */
async function read(flags: Flags, io: Io, mayAsk: boolean): Promise<LoadedConfig> {
  const loaded = await loadConfig({
    env: io.env,
    flags: toConfig(flags),
    packages: { '@svc/plugins': () => import('@svc/plugins'), '@svc/sdk': () => import('@svc/sdk') },
    ...placesOf(flags),
    ...(mayAsk && io.isInteractive && !flags.quiet && flags.output === 'text'
      ? { ask: (question: TrustQuestion) => askTrust(question, io) }
      : {}),
  })
  const { config, variables } = loaded
  io.hide([...secretsOfVariables(variables), ...secretsOfConfig(config, { ...variables, ...io.env })])
  return loaded
}

/** Says something to a person once, with its code where it has one. */
export type Warn = (message: string, code?: string) => void

/** Reads the config, and says what was left out. */
export async function loadOwn(flags: Flags, io: Io, warn: Warn, saysProblems = true): Promise<LoadedConfig> {
  const loaded = await read(flags, io, true)
  for (const { message } of loaded.warnings) warn(message)
  for (const problem of saysProblems ? loaded.problems : []) warn(describeProblem(problem), problem.error.code)
  return loaded
}

/**
 * Starts a runtime of this process over the config.
 *
 * @throws ConfigError `config_invalid` where it needs a store and the config names none that lasts
 */
export async function startOwn(
  loaded: LoadedConfig,
  flags: Flags,
  io: Io,
  warn: Warn,
  { persist = true, needsStore = false, needsModel = false, claims = 'none', ...rest }: StartOptions,
): Promise<OwnStarted> {
  const isDurable = persist && !isInMemory(loaded)
  if (needsStore !== false && !isDurable) {
    const why = needsStore === true ? '' : `${needsStore}, and `
    const message = `${why}runs are not kept here: /store/url says memory. Take it out of the config to keep them in the data folder`
    throw new ConfigError('config_invalid', message)
  }
  refuseSkipped(loaded, flags)
  const log = readLogSettings(flags.logLevel, io.env)
  const options: CreateRuntimeOptions = {
    env: io.env,
    agentFiles: createAgentFiles(loaded),
    persist,
    caller: localCaller('command line'),
    rulesFile: openRulesFile(defaultUserDir(io.env)),
    // What keeps no runs may decide all the same.
    ...(!persist && { audit: (entry) => openAuditLog(personalAuditDir(loaded.workspace, io.env))(entry) }),
    claims,
    ...(log === undefined ? {} : { plugins: [createCallLog(log, io)] }),
    ...rest,
  }
  const runtime = await createRuntime(loaded, options)
  const missing = needsModel ? await findMissing(runtime) : undefined
  for (const { error } of runtime.unusable) if (error !== missing) warn(error.message, error.code)
  if (missing !== undefined) {
    await runtime.close()
    throw missing
  }
  const reload = async (): Promise<LoadedConfig> => {
    const next = await read(flags, io, false)
    assertUsable(next, loaded)
    await runtime.reload(next)
    return next
  }
  return { runtime, loaded, space: spaceOf(loaded), isDurable, reload }
}

/** Why the default model's provider cannot be used: the one line of a command that is nothing without it. */
async function findMissing(runtime: ConfiguredRuntime): Promise<SvcError | undefined> {
  const providers = runtime.unusable.filter(({ kind }) => kind === 'provider')
  if (providers.length === 0) return undefined
  const { defaultModelError } = await runtime.describe()
  return providers.find(({ error }) => error.message === defaultModelError?.message)?.error
}

/** Whether runs last no longer than the process, because the config says so. */
const isInMemory = ({ config }: LoadedConfig): boolean => config.store?.url?.startsWith('memory') === true

/**
 * A server that has begun with a config does not go on with half of it.
 *
 * @throws SvcError for a file that cannot be used, or is not trusted any more
 */
function assertUsable(next: LoadedConfig, before: LoadedConfig): void {
  if (before.skipped.length === 0 && next.skipped.length > 0)
    throw new ConfigError('config_untrusted', next.warnings.map(({ message }) => message).join('; '))
  const known = new Set(before.problems.map(({ file }) => file))
  const problem = next.problems.find(({ file }) => !known.has(file))
  if (problem === undefined) return
  const { error } = problem
  throw new ConfigError(error.code, describeProblem(problem), { cause: error })
}

/** Which config is read, and whether it is trusted for this once. */
export const placesOf = ({ config, cwd, trust }: Flags): { configFile?: string; cwd?: string; trust?: true } =>
  defined({ configFile: config, cwd, trust: trust ? (true as const) : undefined })

/** The flags as the strongest layer of the config. */
function toConfig(flags: Flags): SvcConfig {
  const concurrency = flags.own.text('concurrency')
  return {
    ...(concurrency !== undefined && { server: { limits: { runningRuns: Number(concurrency) } } }),
    ...toModelConfig(flags),
  }
}

/** What flags say of the model. */
export function toModelConfig({ provider, model }: Flags): SvcConfig {
  const isWhole = provider === undefined || model?.startsWith(`${provider}/`)
  return defined({ provider, model: model === undefined || isWhole ? model : `${provider}/${model}` })
}

/** A flag that names what an untrusted file defines is refused with the file's name, not as unknown. */
function refuseSkipped(loaded: LoadedConfig, { provider, model, agent }: Flags): void {
  const named = [
    ...(provider === undefined ? [] : [['provider', provider] as const]),
    ...(model?.includes('/') ? [['provider', model.slice(0, model.indexOf('/'))] as const] : []),
    ...agent.map((id) => ['agent', id] as const),
  ]
  for (const [kind, id] of named) {
    const known: readonly { id: string }[] = kind === 'provider' ? loaded.providers : loaded.agents
    const isKnown = known.some((entry) => entry.id === id)
    const file = isKnown ? undefined : findSkippedDefinition(loaded, kind, id)
    if (file !== undefined) throw skippedDefinitionError(file, kind, id)
  }
}

/** @throws CancelledError for Ctrl-C at the question */
async function askTrust(question: TrustQuestion, io: Io): Promise<boolean> {
  const { askChoice } = await import('../ask/prompt.ts')
  const { folder, state, changed, runs } = question
  const what = state === 'changed' ? 'changed since it was trusted' : 'was never trusted'
  const lines = [
    `${shown(folder)} ${what}. Trusting it allows:`,
    ...runs.map((line) => `  ${line}`),
    ...(changed.length === 0
      ? []
      : ['Changed or new:', ...changed.map((file) => `  ${shown(relative(folder, file))}`)]),
  ]
  io.err(toVisible(`${lines.join('\n')}\n`))
  const answer = await askChoice(io, 'Trust this folder?', ['yes', 'no'])
  if (answer === undefined)
    throw new CancelledError('cancelled', 'stopped at the question whether to trust this folder')
  if (answer === 'yes') auditTrust('trust.given', folder, io.env, { files: changed.length })
  return answer === 'yes'
}
