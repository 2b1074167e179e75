import { readFileSync } from 'node:fs'
import {
  ConfigError,
  type FieldError,
  type LoadedConfig,
  type Plugin,
  type RunOptions,
  SLOTS,
  type SvcConfig,
  toTopology,
} from '@svc/core'
import { isModulePath, type NamedCodeLoader, throwIfAny, toPlugin } from '@svc/core/config'
import { nearest } from '@svc/core/text'
import { AGAIN, BASE } from '../run/record.ts'
import { canonical, hashOf } from './canonical.ts'
import type { ArmInput } from './experiment-schema.ts'
import type { ReadExperiment } from './read-experiment.ts'

/** One arm, ready to be run. */
export interface Arm {
  id: string
  factors: readonly string[]
  /** In words. */
  change: string
  /** Over the project's config. */
  config: SvcConfig
  /** Over what base and task say. */
  options: RunOptions
  /** Stands before the material of the task; undefined: what base and task say. */
  prompt: string | undefined
  /** What code it brings, which its config does not show. */
  code: readonly string[]
}

/** Loads an arm's modules, and remembers what was in them. */
interface Modules {
  load(name: string, pointer: string): Promise<Plugin>
  readonly code: string[]
}

/**
 * The base, the base again, and each arm with the one thing that it swaps.
 *
 * @param base the project's config with the experiment's base over it
 * @throws ConfigError `config_invalid` for an arm that differs in nothing, or in more than it says; `plugin_load_failed`,
 *   `config_untrusted` for its module
 */
export async function resolveArms(
  experiment: ReadExperiment,
  base: LoadedConfig,
  code: NamedCodeLoader,
): Promise<Arm[]> {
  const { input, file } = experiment
  const own: Arm = {
    id: BASE,
    factors: [],
    change: 'nothing',
    config: input.base?.config ?? {},
    options: {},
    prompt: undefined,
    code: [],
  }
  const again = input.aa === false ? [] : [{ ...own, id: AGAIN, change: 'nothing: the base once more' }]
  const arms: Arm[] = []
  for (const [id, arm] of Object.entries(input.arms)) arms.push(await resolveArm(id, arm, experiment, base, code))
  const twin = arms.find((arm, index) => arms.findIndex((other) => identityOf(other) === identityOf(arm)) !== index)
  const hint = 'is the same as an arm before it; a plugin with other options goes by the path of a module that makes it'
  if (twin !== undefined) throwIfAny([{ path: `/arms/${twin.id}`, message: hint }], file)
  return [own, ...again, ...arms]
}

/** What decides how an arm runs, as a hash. */
export const identityOf = ({ config, options, prompt, code }: Arm): string => hashOf({ config, options, prompt, code })

async function resolveArm(
  id: string,
  input: ArmInput,
  { input: { base = {} }, file, folder }: ReadExperiment,
  loaded: LoadedConfig,
  loader: NamedCodeLoader,
): Promise<Arm> {
  const pointer = `/arms/${id}`
  const errors: FieldError[] = []
  const modules = createModules(loader, folder, file)
  const before = base.options ?? {}
  const swaps: Swap[] = [
    ...(await componentSwaps(input, pointer, loaded, modules, errors)),
    ...(await pluginSwaps(input, pointer, loaded, modules, errors)),
    ...modelSwaps(input, loaded, before),
    ...topologySwaps(input, pointer, before, errors),
    ...promptSwaps(input, pointer, loaded, before, errors),
    ...configSwaps(input, loaded),
    ...leaves(input.options ?? {}).flatMap(([path, value]) =>
      canonical(at(before, path)) === canonical(value)
        ? []
        : [{ factor: ['options', ...path].join('.'), change: `${path.join('.')} = ${show(value)}` }],
    ),
  ]
  const factors = swaps.map(({ factor }) => factor)
  throwIfAny([...errors, ...checkFactors(factors, input, pointer, errors.length > 0)], file)
  const parts = [input.config, ...swaps.map(({ config }) => config)]
  const config = parts.reduce<SvcConfig>((merged, part) => mergeConfig(merged, part ?? {}), base.config ?? {})
  return {
    id,
    factors,
    change: swaps.map(({ change }) => change).join('; '),
    config,
    options: Object.assign({}, input.options, ...swaps.map(({ options }) => options ?? {})),
    prompt: typeof input.prompt === 'string' ? input.prompt : undefined,
    code: modules.code,
  }
}

/** One thing in which an arm differs. */
interface Swap {
  factor: string
  change: string
  config?: SvcConfig
  options?: RunOptions
}

function checkFactors(found: readonly string[], input: ArmInput, path: string, isBroken: boolean): FieldError[] {
  if (isBroken) return []
  if (found.length === 0)
    return [{ path, message: 'differs from the base in nothing: swap one thing, such as component, model or config' }]
  const { factors: named } = input
  if (named === undefined && found.length === 1) return []
  const isSame = named !== undefined && canonical([...named].sort()) === canonical([...found].sort())
  if (isSame) return []
  return named === undefined
    ? [
        {
          path,
          message: `differs from the base in ${found.length} things: ${found.join(', ')}. Swap one, or say that this is meant with factors: ${JSON.stringify(found)}`,
        },
      ]
    : [{ path: `${path}/factors`, message: `says ${named.join(', ')}, but the arm differs in ${found.join(', ')}` }]
}

function createModules(loader: NamedCodeLoader, folder: string, file: string): Modules {
  const code: string[] = []
  return {
    code,
    async load(name, pointer) {
      try {
        const { value, source } = await loader.loadNamed(name, folder)
        const plugin = toPlugin(value, source)
        code.push(isModulePath(name) ? hashOf(readFileSync(source, 'utf8')) : source)
        return plugin
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown
        throw new ConfigError(thrown.code, `${file}: ${pointer} ${thrown.message}`, { cause: thrown })
      }
    },
  }
}

const isPlugin = (value: unknown): value is Plugin =>
  typeof value === 'object' && value !== null && typeof (value as Plugin).apply === 'function'

async function componentSwaps(
  { component }: ArmInput,
  pointer: string,
  { config }: LoadedConfig,
  modules: Modules,
  errors: FieldError[],
): Promise<Swap[]> {
  const swaps: Swap[] = []
  for (const [name, value] of Object.entries(component ?? {})) {
    const path = `${pointer}/component/${name}`
    const slot = SLOTS.find((known) => known === name)
    if (slot === undefined) {
      const guess = nearest(name, SLOTS)
      errors.push({
        path,
        message: `is no slot${guess ? `; did you mean "${guess}"?` : ''} Slots are ${SLOTS.join(', ')}`,
      })
      continue
    }
    if (value !== false && typeof value !== 'string' && !isPlugin(value)) {
      errors.push({ path, message: 'must be a plugin, the path of a module, or false' })
      continue
    }
    if (value === false && config.components?.[slot] === false) continue
    const plugin = typeof value === 'string' ? await modules.load(value, path) : value
    const change = `${slot} = ${value === false ? 'switched off' : typeof value === 'string' ? value : value.name}`
    swaps.push({ factor: `components.${slot}`, change, config: { components: { [slot]: plugin } } })
  }
  return swaps
}

async function pluginSwaps(
  { plugin: value }: ArmInput,
  pointer: string,
  _loaded: LoadedConfig,
  modules: Modules,
  errors: FieldError[],
): Promise<Swap[]> {
  if (value === undefined) return []
  const path = `${pointer}/plugin`
  if (typeof value !== 'string' && !isPlugin(value)) {
    errors.push({ path, message: 'must be a plugin, or the path of a module' })
    return []
  }
  const plugin = typeof value === 'string' ? await modules.load(value, path) : value
  return [{ factor: `plugins.${plugin.name}`, change: `with plugin ${plugin.name}`, config: { plugins: [plugin] } }]
}

function modelSwaps({ model }: ArmInput, { config }: LoadedConfig, before: RunOptions): Swap[] {
  if (model === undefined || model === (before.model ?? config.model)) return []
  return [{ factor: 'model', change: `model = ${model}`, options: { model } }]
}

function topologySwaps({ topology }: ArmInput, pointer: string, before: RunOptions, errors: FieldError[]): Swap[] {
  if (topology === undefined) return []
  const known = toTopology(topology)
  if (known === undefined) {
    errors.push({ path: `${pointer}/topology`, message: `"${topology}" is no topology: AUTO, SINGLE, SEQUENTIAL, ...` })
    return []
  }
  if (before.topology !== undefined && toTopology(before.topology) === known) return []
  return [{ factor: 'topology', change: `topology = ${known}`, options: { topology: known } }]
}

function promptSwaps(
  { prompt }: ArmInput,
  pointer: string,
  { agents }: LoadedConfig,
  before: RunOptions,
  errors: FieldError[],
): Swap[] {
  if (prompt === undefined) return []
  if (typeof prompt === 'string')
    return prompt === before.context ? [] : [{ factor: 'prompt', change: `prompt = ${show(prompt)}` }]
  return Object.entries(prompt).flatMap(([id, instructions]) => {
    const path = `${pointer}/prompt/${id}`
    const known = agents.find((agent) => agent.id === id)
    if (known === undefined) {
      const ids = agents.map((agent) => agent.id)
      const guess = nearest(id, ids)
      const all = ids.length === 0 ? 'the base has none' : `the base has ${ids.join(', ')}`
      errors.push({ path, message: `is no agent${guess ? `; did you mean "${guess}"?` : ''} (${all})` })
      return []
    }
    if (typeof instructions !== 'string') {
      errors.push({ path, message: 'must be a text: the instructions of that agent' })
      return []
    }
    if (known.profile.instructions === instructions) return []
    const config = { agents: { [id]: { ...known.profile, instructions } } }
    return [{ factor: `prompt.${id}`, change: `instructions of ${id} = ${show(instructions)}`, config }]
  })
}

function configSwaps({ config = {} }: ArmInput, loaded: LoadedConfig): Swap[] {
  return leaves(config).flatMap(([path, value]) =>
    canonical(at(loaded.config, path)) === canonical(value)
      ? []
      : [{ factor: path.join('.'), change: `${path.join('.')} = ${show(value)}` }],
  )
}

/** Each value that is no object of settings, with its path. */
function leaves(value: object, path: readonly string[] = []): (readonly [path: readonly string[], value: unknown])[] {
  return Object.entries(value).flatMap(([key, field]) => {
    const here = [...path, key]
    const isInner = typeof field === 'object' && field !== null && !Array.isArray(field) && !isPlugin(field)
    return isInner && Object.keys(field).length > 0 ? leaves(field as object, here) : [[here, field] as const]
  })
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  )

/** Lists that grow by what an arm adds; all else is replaced. */
export function mergeConfig<Part extends object>(below: Part, above: Part, path = ''): Part {
  const merged = { ...below } as Record<string, unknown>
  for (const [key, value] of Object.entries(above)) {
    const before = merged[key]
    const isInner = (field: unknown): field is object =>
      typeof field === 'object' && field !== null && !Array.isArray(field) && !isPlugin(field)
    if (`${path}${key}` === 'plugins' && Array.isArray(before)) merged[key] = [...before, ...(value as unknown[])]
    else merged[key] = isInner(before) && isInner(value) ? mergeConfig(before, value, `${path}${key}.`) : value
  }
  return merged as Part
}

/** A value in a report. */
function show(value: unknown): string {
  if (isPlugin(value)) return value.name
  const text =
    typeof value === 'string' ? JSON.stringify(value) : typeof value === 'function' ? 'a function' : canonical(value)
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}
