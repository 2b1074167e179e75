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
  throwIfAny,
} from '@svc/core/config'
import { findErrors } from '@svc/core/schema'
import { ExperimentInput, type TaskInput } from './experiment-schema.ts'
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
  input: ExperimentInput
  tasks: readonly TaskInput[]
}

/**
 * Reads an experiment: code of a trusted folder, or YAML or JSON.
 *
 * @throws ConfigError `config_invalid` naming file, field and what is right; `config_untrusted`
 */
export async function readExperiment(path: string, code: NamedCodeLoader): Promise<ReadExperiment> {
  const file = resolve(path)
  const input = checkInput(await readContent(file, code), file)
  const folder = dirname(file)
  const { tasks: given } = input
  const source = typeof given === 'string' ? resolve(folder, given) : file
  const tasks =
    typeof given === 'string' ? readTasks(source) : given.map((task, index) => checkTask(task, `/tasks/${index}`, file))
  checkTasks(tasks, input.strata, source)
  if (!CODE_ENDINGS.includes(extname(file))) assertTrusted(powersOf(input), file, code)
  if (source !== file || !CODE_ENDINGS.includes(extname(file))) assertTrusted(powersOfTasks(tasks), source, code)
  return { file, folder, name: input.name ?? toName(file), input, tasks }
}

async function readContent(file: string, code: NamedCodeLoader): Promise<unknown> {
  const ending = extname(file)
  if (CODE_ENDINGS.includes(ending)) {
    const value = await code.loadFile(file)
    if (value === undefined)
      throw configError(file, 'has no default export: write "export default defineExperiment({ ... })"')
    return value
  }
  if (!DATA_ENDINGS.includes(ending))
    throw configError(file, `is no experiment: it must end in ${[...CODE_ENDINGS, ...DATA_ENDINGS].join(', ')}`)
  const read = readRegularFile(file, MOST_BYTES)
  if (!('bytes' in read)) throw configError(file, read.problem, undefined, read.cause)
  return parseData(read.bytes.toString('utf8'), file)
}

function checkInput(value: unknown, file: string): ExperimentInput {
  const kind = value === undefined || value === null ? 'nothing' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
  if (typeof value !== 'object' || kind !== 'a object')
    throw configError(file, `must be an object of settings, not ${kind}`)
  const errors: FieldError[] = []
  const known = findUnknown(ExperimentInput, value, '', errors)
  // Tasks are checked one by one, each with its place; a scorer where it is made.
  errors.push(...findErrors(ExperimentInput, known))
  const { tasks } = known as ExperimentInput
  if (!(Array.isArray(tasks) ? tasks.length > 0 : typeof tasks === 'string' && tasks !== ''))
    errors.push({ path: '/tasks', message: 'must be a list of at least one task, or the path of a JSONL file' })
  throwIfAny(errors, file)
  const input = known as ExperimentInput
  const { arms, base, seeds = [] } = input
  const repeated = seeds.find((seed, index) => seeds.indexOf(seed) !== index)
  if (repeated !== undefined) throwIfAny([{ path: '/seeds', message: `names ${repeated} twice` }], file)
  if (Object.keys(arms).length === 0 && input.aa === false)
    throwIfAny([{ path: '/arms', message: 'names no arm, and /aa is false: there is nothing to compare' }], file)
  for (const id of ['base', 'base-again'])
    if (Object.hasOwn(arms, id)) throwIfAny([{ path: `/arms/${id}`, message: 'is a name of svc’s own' }], file)
  const checked = (config: SvcConfig | undefined, pointer: string): { config?: SvcConfig } =>
    config === undefined ? {} : { config: checkConfig(config, `${file} ${pointer}`) }
  return {
    ...input,
    ...(base && { base: { ...base, ...checked(base.config, '/base/config') } }),
    arms: Object.fromEntries(
      Object.entries(arms).map(([id, arm]) => [id, { ...arm, ...checked(arm.config, `/arms/${id}/config`) }]),
    ),
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
