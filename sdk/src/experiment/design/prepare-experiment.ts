import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type LoadedConfig, type PolicyRule, type SvcConfig, ValidationError } from '@svc/core'
import {
  configError,
  createNamedCodeLoader,
  describeProblem,
  findChanged,
  getExperimentsDir,
  type LoadedModules,
  loadConfig,
  toPointer,
} from '@svc/core/config'
import { nearest } from '@svc/core/text'
import { AGAIN, BASE, type ExperimentDesign } from '../run/record.ts'
import { createScorer } from '../scorers/index.ts'
import type { Scorer } from '../scorers/scorer.ts'
import { tryScorer } from '../try-scorer.ts'
import { type Arm, identityOf, mergeConfig, resolveArm, resolveArms } from './arms.ts'
import { hashFolder, hashOf } from './canonical.ts'
import { DEFAULT_SEEDS, toDesign } from './design.ts'
import type { TaskInput } from './experiment-schema.ts'
import { Faults } from './faults.ts'
import type { ArmPrices } from './limits.ts'
import { describeWith, look } from './look.ts'
import { isCode, type ReadExperiment, readExperiment, readInput } from './read-experiment.ts'

/** This package by name: what an experiment's code imports of it is the copy that this process has. */
const SDK: string = '@svc/sdk'
const SELF: string = '@svc/sdk/experiment'

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

/** An arm that was checked. */
export interface PreparedArm {
  arm: Arm
  /** Its config, as it was checked; no run is made with it. */
  loaded: LoadedConfig
  prices: ArmPrices
  /** Tokens of one run at most. */
  mostTokens: number
  /**
   * Loads its config and code anew, for one run: what a module keeps for itself no other run finds. Plugins in `flags` are the
   * caller's own, and stay the same.
   *
   * @throws ConfigError `config_invalid` where a file changed since it was checked
   */
  reload(): Promise<LoadedConfig>
}

/** An experiment that was checked, and of which nothing was run yet. */
export interface PreparedExperiment {
  experiment: ReadExperiment
  design: ExperimentDesign
  /** Absolute path of its folder. */
  folder: string
  /** Those that are to be made now, the base first. */
  arms: readonly PreparedArm[]
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
 * @throws ConfigError `config_invalid`, `config_untrusted`, `plugin_load_failed`, `no_provider`, `unknown_provider`, with all that
 *   is wrong in `errors`; ValidationError `validation_failed` for an arm that the caller names and the experiment does not have
 */
export async function prepareExperiment(path: string, options: ExperimentOptions = {}): Promise<PreparedExperiment> {
  const { env = process.env } = options
  const faults = new Faults()
  const { code, experiment, load, first, folder, loadAnew } = await open(path, options, faults)
  const { input, file } = experiment
  const workspace = toWorkspace(experiment, faults)
  const own = toTaskWorkspaces(experiment, faults)
  checkStrict(experiment, faults)
  const roots = [workspace ?? first.config.policy?.root ?? first.workspace, ...new Set(own.values())]
  const closed = roots.flatMap((root) => closeAnswers(experiment, folder, root))
  const withRules = ({ policy = {}, ...config }: SvcConfig, modules?: LoadedModules): Promise<LoadedConfig> =>
    load({ ...config, policy: { ...policy, rules: [...(policy.rules ?? []), ...closed] } }, modules)
  const base = await withRules(input.base?.config ?? {})
  const all = await resolveArms(experiment, base, code, faults)
  const tasks = experiment.tasks.slice(0, options.limit).map((task) => {
    const place = own.get(task.id)
    return place === undefined ? task : { ...task, workspace: place }
  })
  const prepared: PreparedArm[] = []
  let model = ''
  for (const arm of all) {
    try {
      const loaded = await withRules(arm.config)
      const { defaultModel, ...priced } = await look({ ...input.base?.options, ...arm.options }, arm, loaded, env)
      if (arm.id === BASE) model = defaultModel
      const before = hashOf([identityOf(arm), textsOf(loaded)])
      const reload = async (): Promise<LoadedConfig> => {
        const { again, modules, changed } = await loadAnew(arm.id, base)
        if (again !== undefined && changed === undefined) {
          const fresh = await withRules(again.config, modules)
          if (hashOf([identityOf(again), textsOf(fresh)]) === before) return fresh
        }
        throw configError(changed ?? file, 'changed while the experiment ran: undo that, or begin anew with --fresh')
      }
      prepared.push({ arm, loaded, ...priced, reload })
    } catch (thrown) {
      if (arm.id !== AGAIN) faults.take(thrown, arm.id === BASE ? '/base' : toPointer('/arms', arm.id))
    }
  }
  const scorer = await makeScorer(experiment, experiment.tasks.slice(0, options.limit), base, env, faults)
  try {
    faults.throwIfAny(file)
    const chosen = chooseArms(all, options.arms)
    return {
      experiment,
      design: toDesign(experiment, all, {
        scorer: scorer?.about ?? '',
        base: hashOf([base.config, textsOf(base), model]),
        workspace: hashWorkspaces(workspace, own),
      }),
      folder,
      arms: prepared.filter(({ arm }) => chosen.includes(arm)),
      tasks,
      scorer: scorer as Scorer,
      workspace,
      warnings: [...base.warnings.map(({ message }) => message), ...base.problems.map(describeProblem)],
      concurrency: options.concurrency ?? input.concurrency ?? 2,
      env,
    }
  } catch (thrown) {
    await scorer?.close?.()
    throw thrown
  }
}

/** What the files say that a config was read from. */
const textsOf = ({ files }: LoadedConfig): string[] => files.map((file) => hashOf(readFileSync(file, 'utf8')))

/** The scorer, which was tried on the tasks; undefined where something is wrong with it. */
async function makeScorer(
  experiment: ReadExperiment,
  tasks: readonly TaskInput[],
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
  faults: Faults,
): Promise<Scorer | undefined> {
  const { input, file, folder, places } = experiment
  try {
    const scorer = createScorer(input.scorer, { file, folder, loaded, env })
    await tryScorer(scorer, tasks, places, faults)
    if (scorer.model !== undefined)
      await describeWith(scorer.model, loaded, env).catch((thrown: unknown) =>
        faults.take(thrown, '/scorer/judge/model'),
      )
    return scorer
  } catch (thrown) {
    faults.take(thrown, '')
    return undefined
  }
}

async function open(path: string, options: ExperimentOptions, faults: Faults) {
  const { cwd = process.cwd(), env = process.env, trust } = options
  const packages = {
    '@svc/plugins': () => import('@svc/plugins'),
    [SDK]: () => import(SDK),
    [SELF]: () => import(SELF),
  }
  const common = { env, cwd, packages, ...(trust === undefined ? {} : { trust }) }
  const known: LoadedModules = new Map()
  const code = createNamedCodeLoader({ ...common, modules: known })
  const experiment = await readExperiment(resolve(cwd, path), code, faults)
  const load = (config: SvcConfig, modules = known): Promise<LoadedConfig> =>
    loadConfig({
      ...common,
      modules,
      flags: mergeConfig(options.flags ?? {}, config),
      ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
    })
  const loadAnew = async (id: string, base: LoadedConfig) => {
    const modules: LoadedModules = new Map()
    const anew = createNamedCodeLoader({ ...common, modules })
    const { file, input } = experiment
    const wrong = new Faults()
    const now = { ...experiment, input: isCode(file) ? await readInput(file, anew, wrong) : input }
    const again = await resolveArm(id, now, base, anew, wrong)
    wrong.throwIfAny(file)
    return { again, modules, changed: [...known.values()].map(findChanged).find((file) => file !== undefined) }
  }
  const first = await load(experiment.input.base?.config ?? {})
  const folder = resolve(cwd, options.out ?? join(getExperimentsDir(first), experiment.name))
  return { code, experiment, load, loadAnew, first, folder }
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

function toWorkspace({ input, folder, tasks, places }: ReadExperiment, faults: Faults): string | undefined {
  if (input.workspace !== undefined) return toFolder(resolve(folder, input.workspace), '/workspace', faults)
  const parts = [
    ['/base', input.base?.options] as const,
    ...Object.entries(input.arms).map(([id, arm]) => [toPointer('/arms', id), arm.options] as const),
    ...tasks.flatMap((task) =>
      task.workspace === undefined ? [[places.get(task) ?? '/tasks', task.options] as const] : [],
    ),
  ]
  for (const [place, options] of parts)
    if (options?.allowWrites === true || options?.approval === 'allow-write')
      faults.add(
        `${place}/options`,
        'lets runs write files, so one would read what another wrote: name a `workspace`, of which each gets a copy',
      )
  return undefined
}

/** The workspaces of tasks that name their own, by the task's id. */
function toTaskWorkspaces({ tasks, folder, places }: ReadExperiment, faults: Faults): Map<string, string> {
  return new Map(
    tasks.flatMap((task) =>
      task.workspace === undefined
        ? []
        : [[task.id, toFolder(resolve(folder, task.workspace), `${places.get(task)}/workspace`, faults)] as const],
    ),
  )
}

function toFolder(folder: string, path: string, faults: Faults): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) faults.add(path, `${folder} is no folder`)
  return folder
}

/** Strict runs call neither tools nor models. */
function checkStrict({ input, tasks, places }: ReadExperiment, faults: Faults): void {
  if (input.replay !== 'strict') return
  if (input.workspace !== undefined)
    faults.add('/replay', 'strict runs no tool, so a `workspace` stays as it was: write fill')
  for (const task of tasks) {
    const place = places.get(task)
    if (task.workspace !== undefined)
      faults.add(`${place}/workspace`, 'stays as it was under /replay strict, which runs no tool: write fill')
    if (task.setup !== undefined)
      faults.add(`${place}/setup`, 'is never answered from a recording, as /replay strict asks for: write fill')
  }
}

function hashWorkspaces(workspace: string | undefined, own: ReadonlyMap<string, string>): string | undefined {
  const shared = workspace === undefined ? undefined : hashFolder(workspace)
  if (own.size === 0) return shared
  return hashOf([shared ?? null, ...[...new Set(own.values())].map(hashFolder)])
}
