import { basename, dirname, extname, resolve } from 'node:path'
import type { FieldError, RunOptions, SvcConfig } from '@svc/core'
import {
  CODE_ENDINGS,
  checkConfig,
  configError,
  findUnknown,
  type NamedCodeLoader,
  parseData,
  readRegularFile,
  toPointer,
} from '@svc/core/config'
import { findErrors } from '@svc/core/schema'
import { AGAIN, BASE } from '../run/record.ts'
import { ExperimentInput, type TaskInput } from './experiment-schema.ts'
import type { Faults } from './faults.ts'
import { checkTask, checkTasks, readTasks } from './tasks.ts'

const MOST_BYTES = 8 << 20
const DATA_ENDINGS = ['.json', '.yaml', '.yml']

/** An experiment file, read and checked by itself. */
export interface ReadExperiment {
  /** Absolute path. */
  file: string
  /** Where its paths start. */
  folder: string
  name: string
  /** Without arms that something is wrong with. */
  input: ExperimentInput
  /** Without those that something is wrong with. */
  tasks: readonly TaskInput[]
  /** Where each task stands. */
  places: ReadonlyMap<TaskInput, string>
}

/**
 * Reads an experiment: code of a trusted folder, or YAML or JSON.
 *
 * @param faults what is wrong with single tasks, arms and settings is added
 * @throws ConfigError `config_invalid` where nothing can be made of it, naming file, field and what is right; `config_untrusted`
 */
export async function readExperiment(path: string, code: NamedCodeLoader, faults: Faults): Promise<ReadExperiment> {
  const file = resolve(path)
  const input = await readInput(file, code, faults)
  const folder = dirname(file)
  const { tasks: given } = input
  const source = typeof given === 'string' ? resolve(folder, given) : file
  const placed =
    typeof given === 'string'
      ? readTasks(source, faults)
      : given.flatMap((task, index) => checkTask(task, `/tasks/${index}`, faults))
  checkTasks(placed, input.strata, faults)
  if (faults.isIn('/base') || (placed.length === 0 && Object.keys(input.arms).length === 0)) faults.throwIfAny(file)
  const tasks = placed.map(({ task }) => task)
  if (!isCode(file)) assertTrusted(powersOf(input), file, code)
  if (source !== file || !isCode(file)) assertTrusted(powersOfTasks(tasks), source, code)
  const places = new Map(placed.map(({ task, place }) => [task, place]))
  return { file, folder, name: input.name ?? toName(file), input, tasks, places }
}

export const isCode = (file: string): boolean => CODE_ENDINGS.includes(extname(file))

async function readContent(file: string, code: NamedCodeLoader): Promise<unknown> {
  if (isCode(file)) {
    const value = await code.loadFile(file)
    if (value === undefined)
      throw configError(file, 'has no default export: write "export default defineExperiment({ ... })"')
    return value
  }
  if (!DATA_ENDINGS.includes(extname(file)))
    throw configError(file, `is no experiment: it must end in ${[...CODE_ENDINGS, ...DATA_ENDINGS].join(', ')}`)
  const read = readRegularFile(file, MOST_BYTES)
  if (!('bytes' in read)) throw configError(file, read.problem, undefined, read.cause)
  return parseData(read.bytes.toString('utf8'), file)
}

/**
 * What the file says, without its tasks' content and without arms that something is wrong with.
 *
 * @throws ConfigError `config_invalid` where it is no experiment at all
 */
export async function readInput(file: string, code: NamedCodeLoader, faults: Faults): Promise<ExperimentInput> {
  const value = await readContent(file, code)
  const kind = value === undefined || value === null ? 'nothing' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
  if (typeof value !== 'object' || kind !== 'a object')
    throw configError(file, `must be an object of settings, not ${kind}`)
  const errors: FieldError[] = []
  const input = findUnknown(ExperimentInput, value, '', errors) as ExperimentInput
  // Tasks are checked one by one, each with its place; a scorer where it is made.
  errors.push(...findErrors(ExperimentInput, input))
  faults.addAll(errors)
  const { tasks, arms, base, seeds = [] } = input
  const hasTasks = Array.isArray(tasks) ? tasks.length > 0 : typeof tasks === 'string' && tasks !== ''
  if (!hasTasks) faults.add('/tasks', 'must be a list of at least one task, or the path of a JSONL file')
  if (Array.isArray(seeds)) {
    const repeated = new Set(seeds.filter((seed, index) => seeds.indexOf(seed) !== index))
    for (const seed of repeated) faults.add('/seeds', `names ${seed} twice`)
  }
  if (!hasTasks || typeof arms !== 'object' || arms === null) faults.throwIfAny(file)
  const given = Array.isArray(arms) ? [] : Object.entries(arms)
  if (given.length === 0 && !faults.isIn('/arms') && input.aa === false)
    faults.add('/arms', 'names no arm, and /aa is false: there is nothing to compare')
  for (const id of [BASE, AGAIN])
    if (Object.hasOwn(arms, id)) faults.add(toPointer('/arms', id), 'is a name of svc’s own')
  const checked = (config: SvcConfig | undefined, pointer: string): { config?: SvcConfig } => {
    if (config === undefined) return {}
    try {
      return { config: checkConfig(config, `${file} ${pointer}`) }
    } catch (thrown) {
      faults.take(thrown, pointer)
      return {}
    }
  }
  const whole = given.map(
    ([id, arm]) => [id, { ...arm, ...checked(arm?.config, `${toPointer('/arms', id)}/config`) }] as const,
  )
  // What is wrong is said at the end; until then the rest is gone over without it.
  const isSound = ([name]: [string, unknown]): boolean => name === 'tasks' || !faults.isIn(`/${name}`)
  return {
    ...(Object.fromEntries(Object.entries(input).filter(isSound)) as ExperimentInput),
    ...(base && { base: { ...base, ...checked(base.config, '/base/config') } }),
    arms: Object.fromEntries(whole.filter(([id]) => !faults.isIn(toPointer('/arms', id)))),
  }
}

/** Settings that make svc run something, give more rights, or send texts elsewhere. */
const POWERS = ['tools', 'plugins', 'components', 'providers', 'policy', 'store', 'telemetry', 'extends'] as const

const allowsWrites = ({ options }: { options?: RunOptions }): boolean =>
  options?.allowWrites === true || options?.approval === 'allow-write'

/** What an experiment of plain data says that it may say only where it is trusted. */
function powersOf({ base = {}, arms, scorer }: ExperimentInput): string[] {
  const parts = [base, ...Object.values(arms)]
  const hasModule = Object.values(arms).some(
    ({ component = {}, plugin }) => plugin !== undefined || Object.values(component).some((value) => value !== false),
  )
  return [
    ...(hasModule ? ['a component or plugin'] : []),
    ...(typeof scorer === 'object' && 'command' in scorer && scorer.command.run !== undefined ? ['a command'] : []),
    ...POWERS.filter((field) => parts.some(({ config }) => config?.[field] !== undefined)).map(
      (field) => `config.${field}`,
    ),
    ...(parts.some(allowsWrites) ? ['the right to write files'] : []),
  ]
}

const powersOfTasks = (tasks: readonly TaskInput[]): string[] => [
  ...(tasks.some(({ test }) => test !== undefined) ? ['a command'] : []),
  ...(tasks.some(allowsWrites) ? ['the right to write files'] : []),
]

/** @throws ConfigError `config_untrusted` */
function assertTrusted(powers: readonly string[], file: string, code: NamedCodeLoader): void {
  if (powers.length > 0) code.assertTrusted(file, `names ${powers.join(', ')}`)
}

/** The file's name as a slug. */
function toName(file: string): string {
  const words = basename(file, extname(file))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .split('-')
    .filter((word) => word !== '')
    .join('-')
    .slice(0, 64)
  return /^[a-z]/.test(words) ? words : `experiment-${words}`.slice(0, 64)
}
