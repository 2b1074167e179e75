import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import {
  ConfigError,
  createMemoryStore,
  type LoadedConfig,
  type PolicyRule,
  type SvcConfig,
  ValidationError,
} from '@svc/core'
import { createNamedCodeLoader, describeProblem, loadConfig, throwIfAny, toPointer } from '@svc/core/config'
import { nearest } from '@svc/core/text'
import { createProvider, createRuntime, PRESETS } from '@svc/plugins'
import { AGAIN, BASE, type ExperimentDesign } from '../run/record.ts'
import { createScorer } from '../scorers/index.ts'
import type { Scorer } from '../scorers/scorer.ts'
import { tryScorer } from '../try-scorer.ts'
import { type Arm, mergeConfig, resolveArms } from './arms.ts'
import { hashFolder, hashOf } from './canonical.ts'
import { DEFAULT_SEEDS, toDesign } from './design.ts'
import type { TaskInput } from './experiment-schema.ts'
import { type ArmPrices, hardLimitOf, pricesOf } from './limits.ts'
import { type ReadExperiment, readExperiment } from './read-experiment.ts'

/** This package by name: what an experiment's code imports of it is the copy that this process has. */
const SDK: string = '@svc/sdk'
const SELF: string = '@svc/sdk/experiment'
const STRICT = 'strict runs no tool, so a `workspace` stays as it was: write fill'

/** How an experiment is read and made. */
export interface ExperimentOptions {
  /** The project's folder, or one in it. Default the process's. */
  cwd?: string
  /** Default the process's. */
  env?: NodeJS.ProcessEnv
  /** True: the folder is trusted for this once. Default: as `svc trust` recorded. */
  trust?: boolean
  /** One more config file. */
  configFile?: string
  /** Settings under those of the experiment. */
  flags?: SvcConfig
  /** The experiment's folder. Default `.svc/experiments/<name>` of the project. */
  out?: string
  /** Only these arms, and the base. Default all. */
  arms?: readonly string[]
  /** Only the first so many tasks. Default all. */
  limit?: number
  /** Runs at once. Default as the experiment says. */
  concurrency?: number
}

/** An experiment that was checked, and of which nothing was run yet. */
export interface PreparedExperiment {
  experiment: ReadExperiment
  design: ExperimentDesign
  /** Absolute path of its folder. */
  folder: string
  /** Those that are to be made now, the base first, each with its config. */
  arms: readonly { arm: Arm; loaded: LoadedConfig; prices: ArmPrices; mostTokens: number }[]
  /** Those that are to be made now, with absolute paths of their workspaces. */
  tasks: readonly TaskInput[]
  scorer: Scorer
  workspace: string | undefined
  concurrency: number
  env: NodeJS.ProcessEnv
  /** What a person should know of the project's config. */
  warnings: readonly string[]
}

/**
 * Reads an experiment and checks all that can be checked before a model is called.
 *
 * @throws ConfigError `config_invalid`, `config_untrusted`, `plugin_load_failed`, `unknown_provider`; ValidationError
 *   `validation_failed` for an arm that the caller names and the experiment does not have
 */
export async function prepareExperiment(path: string, options: ExperimentOptions = {}): Promise<PreparedExperiment> {
  const { env = process.env } = options
  const { code, experiment, load, first, folder } = await open(path, options)
  const { input, file } = experiment
  const workspace = toWorkspace(experiment)
  const own = toTaskWorkspaces(experiment)
  const roots = [workspace ?? first.config.policy?.root ?? first.workspace, ...new Set(own.values())]
  const closed = roots.flatMap((root) => closeAnswers(experiment, folder, root))
  const withRules = ({ policy = {}, ...config }: SvcConfig): Promise<LoadedConfig> =>
    load(config, { ...policy, rules: [...(policy.rules ?? []), ...closed] })
  const base = await withRules(input.base?.config ?? {})
  const all = await resolveArms(experiment, base, code)
  const chosen = chooseArms(all, options.arms)
  const tasks = experiment.tasks.slice(0, options.limit).map((task) => {
    const place = own.get(task.id)
    return place === undefined ? task : { ...task, workspace: place }
  })
  const arms = []
  let model = ''
  for (const arm of all) {
    const loaded = await naming(file, arm, () => withRules(arm.config))
    const { defaultModel, ...priced } = await naming(file, arm, () => look(arm, loaded, experiment, env))
    if (arm.id === BASE) model = defaultModel
    if (chosen.includes(arm)) arms.push({ arm, loaded, ...priced })
  }
  const scorer = createScorer(input.scorer, { file, folder: experiment.folder, loaded: base, env })
  try {
    await tryScorer(scorer, experiment, tasks)
  } catch (thrown) {
    await scorer.close?.()
    throw thrown
  }
  const design = toDesign(experiment, all, {
    scorer: scorer.about,
    base: hashOf([base.config, base.files.map((each) => hashOf(readFileSync(each, 'utf8'))), model]),
    workspace: hashWorkspaces(workspace, own),
  })
  return {
    experiment,
    design,
    folder,
    arms,
    tasks,
    scorer,
    workspace,
    warnings: [...base.warnings.map(({ message }) => message), ...base.problems.map(describeProblem)],
    concurrency: options.concurrency ?? input.concurrency ?? 2,
    env,
  }
}

async function open(path: string, options: ExperimentOptions) {
  const { cwd = process.cwd(), env = process.env, trust } = options
  const packages = {
    '@svc/plugins': () => import('@svc/plugins'),
    [SDK]: () => import(SDK),
    [SELF]: () => import(SELF),
  }
  const common = { env, cwd, packages, ...(trust === undefined ? {} : { trust }) }
  const code = createNamedCodeLoader(common)
  const experiment = await readExperiment(resolve(cwd, path), code)
  const load = (config: SvcConfig, policy: SvcConfig['policy'] = {}): Promise<LoadedConfig> =>
    loadConfig({
      ...common,
      flags: mergeConfig(options.flags ?? {}, { ...config, policy: { ...config.policy, ...policy } }),
      ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
    })
  const first = await load(experiment.input.base?.config ?? {})
  const folder = resolve(
    cwd,
    options.out ?? join(first.projectDir ?? first.workspace, '.svc', 'experiments', experiment.name),
  )
  return { code, experiment, load, first, folder }
}

export const seedsOf = ({ input }: ReadExperiment): readonly number[] => input.seeds ?? DEFAULT_SEEDS

/** Rules that keep the expected answers, and what other runs answered, from the tools of every run. */
function closeAnswers({ file, folder, input }: ReadExperiment, out: string, root: string): PolicyRule[] {
  const tasks = typeof input.tasks === 'string' ? [resolve(folder, input.tasks)] : []
  const inside = [file, ...tasks, out, join(out, '**'), `${out}.*`, join(`${out}.*`, '**')]
    .map((path) => relative(root, path).split(sep).join('/'))
    .filter((path) => !path.startsWith('../') && !isAbsolute(path))
  return inside.length === 0 ? [] : [{ tool: '*', decision: 'deny', paths: inside }]
}

/** The base, and the arms that were asked for. */
function chooseArms(arms: readonly Arm[], named: readonly string[] | undefined): readonly Arm[] {
  if (named === undefined || named.length === 0) return arms
  const ids = arms.map(({ id }) => id)
  for (const id of named) {
    if (ids.includes(id)) continue
    const guess = nearest(id, ids)
    const message = `--arm "${id}" is no arm of this experiment${guess === undefined ? '.' : `: did you mean ${guess}?`} It has ${ids.join(', ')}`
    throw new ValidationError('validation_failed', message, { errors: [{ path: '/arm', message }] })
  }
  return arms.filter(({ id }) => id === BASE || id === AGAIN || named.includes(id))
}

function toWorkspace({ input, folder, file, tasks }: ReadExperiment): string | undefined {
  const { workspace } = input
  if (workspace !== undefined) {
    const path = toFolder(resolve(folder, workspace), '/workspace', file)
    if (input.replay === 'strict') throwIfAny([{ path: '/replay', message: STRICT }], file)
    return path
  }
  const parts = [
    ['/base', input.base?.options] as const,
    ...Object.entries(input.arms).map(([id, arm]) => [toPointer('/arms', id), arm.options] as const),
    ...tasks.flatMap((task, index) =>
      task.workspace === undefined ? [[toPointer('/tasks', index), task.options] as const] : [],
    ),
  ]
  const writing = parts.find(([, options]) => options?.allowWrites === true || options?.approval === 'allow-write')
  if (writing !== undefined)
    throwIfAny(
      [
        {
          path: `${writing[0]}/options`,
          message:
            'lets runs write files, so one would read what another wrote: name a `workspace`, of which each gets a copy',
        },
      ],
      file,
    )
  return undefined
}

/** The workspaces of tasks that name their own, by the task's id. */
function toTaskWorkspaces({ tasks, folder, file, input }: ReadExperiment): Map<string, string> {
  return new Map(
    tasks.flatMap(({ id, workspace }, index) => {
      if (workspace === undefined) return []
      const path = toPointer('/tasks', index)
      if (input.replay === 'strict') throwIfAny([{ path: `${path}/workspace`, message: STRICT }], file)
      return [[id, toFolder(resolve(folder, workspace), `${path}/workspace`, file)] as const]
    }),
  )
}

function toFolder(folder: string, path: string, file: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throwIfAny([{ path, message: `${folder} is no folder` }], file)
  return folder
}

function hashWorkspaces(workspace: string | undefined, own: ReadonlyMap<string, string>): string | undefined {
  const shared = workspace === undefined ? undefined : hashFolder(workspace)
  if (own.size === 0) return shared
  return hashOf([shared ?? null, ...[...new Set(own.values())].map(hashFolder)])
}

/** Starts an arm's runtime once, to see that it can be started, and what its models cost. */
async function look(
  arm: Arm,
  loaded: LoadedConfig,
  { input }: ReadExperiment,
  env: NodeJS.ProcessEnv,
): Promise<{ defaultModel: string; prices: ArmPrices; mostTokens: number }> {
  const options = { ...input.base?.options, ...arm.options }
  const runtime = await createRuntime(loaded, { env, persist: false, store: createMemoryStore(), claims: 'none' })
  try {
    const info = await runtime.describe()
    const { model } = options
    const ids = info.providers.map(({ id }) => id)
    const [provider = ''] = model?.split('/') ?? []
    const failure = info.providers.find(({ id }) => id === provider)?.error
    if (model !== undefined && failure !== undefined) throw new ConfigError('no_provider', failure)
    if (model !== undefined && (!model.includes('/') || !ids.includes(provider))) {
      // Throws where svc knows the provider, and something such as its key is missing.
      if (Object.hasOwn(PRESETS, provider)) createProvider(provider, undefined, { env })
      const guess = nearest(provider, ids)
      const hint = guess === undefined ? `there are ${ids.join(', ')}` : `did you mean ${guess}?`
      throw new ConfigError('unknown_provider', `model "${model}" must be written provider/model: ${hint}`)
    }
    if (model === undefined && info.defaultModelError !== undefined)
      throw new ConfigError('no_provider', info.defaultModelError.message)
    return {
      defaultModel: model ?? info.defaultModel,
      prices: pricesOf(arm, loaded, options, info),
      mostTokens: hardLimitOf(options, loaded),
    }
  } finally {
    await runtime.close()
  }
}

/** Says which arm of which file an error is about. */
async function naming<Result>(file: string, arm: Arm, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof ConfigError) || thrown.message.startsWith(file)) throw thrown
    const place = arm.id === BASE || arm.id === AGAIN ? '/base' : `/arms/${arm.id}`
    throw new ConfigError(thrown.code, `${file}: ${place} ${thrown.message}`, { cause: thrown })
  }
}
