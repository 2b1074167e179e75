import { readFileSync } from 'node:fs'
import {
  definePlugin,
  type FieldError,
  type LoadedConfig,
  type Plugin,
  type RunOptions,
  SLOTS,
  type SvcConfig,
  toTopology,
} from '@svc/core'
import { isModulePath, type NamedCodeLoader, toPlugin, toPointer } from '@svc/core/config'
import { nearest } from '@svc/core/text'
import { AGAIN, BASE } from '../run/record.ts'
import { canonical, hashOf } from './canonical.ts'
import type { ArmInput } from './experiment-schema.ts'
import type { Faults } from './faults.ts'
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
  load(name: string, pointer: string): Promise<Plugin | undefined>
  readonly code: string[]
}

/** What an arm is compared with, and where what is wrong with it goes. */
interface Surroundings {
  pointer: string
  /** The project's config with the experiment's base over it. */
  loaded: LoadedConfig
  /** Options of the base. */
  before: RunOptions
  modules: Modules
  faults: Faults
}

/**
 * The base, the base again, and each arm with the one thing that it swaps.
 *
 * @param base the project's config with the experiment's base over it
 * @param faults an arm that differs in nothing or in more than it says, or that is the same as one before it, is added, as is a
 *   module that cannot be loaded; such an arm is left out
 */
export async function resolveArms(
  experiment: ReadExperiment,
  base: LoadedConfig,
  code: NamedCodeLoader,
  faults: Faults,
): Promise<Arm[]> {
  const { input } = experiment
  const arms: Arm[] = []
  for (const id of [BASE, ...(input.aa === false ? [] : [AGAIN]), ...Object.keys(input.arms)]) {
    const arm = await resolveArm(id, experiment, base, code, faults)
    if (arm === undefined) continue
    const isTwin = id !== AGAIN && arms.some((other) => identityOf(other) === identityOf(arm))
    if (isTwin)
      faults.add(toPointer('/arms', id), 'is the same as an arm before it: leave one out, or say what differs')
    arms.push(arm)
  }
  return arms
}

/** What decides how an arm runs, as a hash. */
export const identityOf = ({ config, options, prompt, code }: Arm): string => hashOf({ config, options, prompt, code })

/** One arm, with its code as this loader loads it; undefined where something is wrong with it. */
export async function resolveArm(
  id: string,
  { input: { base = {}, arms }, folder }: ReadExperiment,
  loaded: LoadedConfig,
  loader: NamedCodeLoader,
  faults: Faults,
): Promise<Arm | undefined> {
  const input = arms[id]
  if (input === undefined)
    return {
      id,
      factors: [],
      change: id === BASE ? 'nothing' : 'nothing: the base once more',
      config: base.config ?? {},
      options: {},
      prompt: undefined,
      code: [],
    }
  const pointer = toPointer('/arms', id)
  const before = base.options ?? {}
  const modules = createModules(loader, folder, faults)
  const around = { pointer, loaded, before, modules, faults }
  const swaps: Swap[] = [
    ...(await componentSwaps(input, around)),
    ...(await pluginSwaps(input, around)),
    ...providerSwaps(input, around),
    ...modelSwaps(input, around),
    ...topologySwaps(input, around),
    ...promptSwaps(input, around),
    ...configSwaps(input, loaded),
    ...leaves(input.options ?? {}).flatMap(([path, value]) =>
      canonical(at(before, path)) === canonical(value)
        ? []
        : [{ factor: ['options', ...path].join('.'), change: `${path.join('.')} = ${show(value)}` }],
    ),
  ]
  const factors = swaps.map(({ factor }) => factor)
  if (!faults.isIn(pointer)) faults.addAll(checkFactors(factors, input, pointer))
  if (faults.isIn(pointer)) return undefined
  const parts = [input.config, ...swaps.map(({ config }) => config)]
  return {
    id,
    factors,
    change: swaps.map(({ change }) => change).join('; '),
    config: parts.reduce<SvcConfig>((merged, part) => mergeConfig(merged, part ?? {}), base.config ?? {}),
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

function checkFactors(found: readonly string[], input: ArmInput, path: string): FieldError[] {
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

function createModules(loader: NamedCodeLoader, folder: string, faults: Faults): Modules {
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
        faults.take(thrown, pointer)
        return undefined
      }
    },
  }
}

const isPlugin = (value: unknown): value is Plugin =>
  typeof value === 'object' && value !== null && typeof (value as Plugin).apply === 'function'

/** A plugin as an arm gives it: itself, what `definePlugin` returned, or the path of its module. */
async function toGiven(value: unknown, path: string, { modules, faults }: Surroundings): Promise<Plugin | undefined> {
  if (typeof value === 'string') return modules.load(value, path)
  try {
    return toPlugin(value, 'the experiment')
  } catch (thrown) {
    const { cause } = thrown as Error
    faults.add(
      path,
      cause instanceof Error
        ? `fails: ${cause.message}`
        : 'must be a plugin, a function that makes one, or the path of its module',
    )
    return undefined
  }
}

async function componentSwaps({ component }: ArmInput, around: Surroundings): Promise<Swap[]> {
  const { pointer, loaded, faults } = around
  const swaps: Swap[] = []
  for (const [name, value] of Object.entries(component ?? {})) {
    const path = toPointer(`${pointer}/component`, name)
    const slot = SLOTS.find((known) => known === name)
    if (slot === undefined) {
      const guess = nearest(name, SLOTS)
      faults.add(path, `is no slot${guess ? `; did you mean "${guess}"?` : ''} Slots are ${SLOTS.join(', ')}`)
    } else if (value !== false) {
      const plugin = await toGiven(value, path, around)
      if (plugin === undefined) continue
      const change = `${slot} = ${typeof value === 'string' ? value : plugin.name}`
      swaps.push({ factor: `components.${slot}`, change, config: { components: { [slot]: plugin } } })
    } else if (loaded.config.components?.[slot] !== false) {
      const config = { components: { [slot]: false as const } }
      swaps.push({ factor: `components.${slot}`, change: `${slot} = switched off`, config })
    }
  }
  return swaps
}

async function pluginSwaps({ plugin: value }: ArmInput, around: Surroundings): Promise<Swap[]> {
  if (value === undefined) return []
  const plugin = await toGiven(value, `${around.pointer}/plugin`, around)
  if (plugin === undefined) return []
  return [{ factor: `plugins.${plugin.name}`, change: `with plugin ${plugin.name}`, config: { plugins: [plugin] } }]
}

/** The default model of a provider, which is known by its id, or which the arm brings along. */
function providerSwaps({ provider, model }: ArmInput, around: Surroundings): Swap[] {
  const { pointer, loaded, before, faults } = around
  if (provider === undefined) return []
  const path = `${pointer}/provider`
  if (model !== undefined) {
    faults.add(path, `says whose default model is taken, and /model names ${model}: leave one out`)
    return []
  }
  const swap = (id: string): Swap => ({ factor: 'provider', change: `provider = ${id}`, options: { model: id } })
  if (typeof provider === 'string')
    return [before.model, loaded.config.model ?? loaded.config.provider].includes(provider) ? [] : [swap(provider)]
  if (typeof provider?.id !== 'string' || typeof provider.generate !== 'function') {
    faults.add(path, 'must be the id of a provider, or a provider')
    return []
  }
  const { id } = provider
  const plugin = definePlugin(`provider-${id}`, ({ providers }) => providers.add(id, provider))()
  return [{ ...swap(id), config: { plugins: [plugin] } }]
}

function modelSwaps({ model }: ArmInput, { loaded, before }: Surroundings): Swap[] {
  if (model === undefined || model === (before.model ?? loaded.config.model)) return []
  return [{ factor: 'model', change: `model = ${model}`, options: { model } }]
}

function topologySwaps({ topology }: ArmInput, { pointer, before, faults }: Surroundings): Swap[] {
  if (topology === undefined) return []
  const known = toTopology(topology)
  if (known === undefined) {
    faults.add(`${pointer}/topology`, `"${topology}" is no topology: AUTO, SINGLE, SEQUENTIAL, ...`)
    return []
  }
  if (before.topology !== undefined && toTopology(before.topology) === known) return []
  return [{ factor: 'topology', change: `topology = ${known}`, options: { topology: known } }]
}

function promptSwaps({ prompt }: ArmInput, { pointer, loaded: { agents }, before, faults }: Surroundings): Swap[] {
  if (prompt === undefined) return []
  if (typeof prompt === 'string')
    return prompt === before.context ? [] : [{ factor: 'prompt', change: `prompt = ${show(prompt)}` }]
  if (typeof prompt !== 'object' || prompt === null) {
    faults.add(`${pointer}/prompt`, 'must be a text, or instructions by the id of an agent')
    return []
  }
  return Object.entries(prompt).flatMap(([id, instructions]) => {
    const path = toPointer(`${pointer}/prompt`, id)
    const known = agents.find((agent) => agent.id === id)
    if (known === undefined) {
      const ids = agents.map((agent) => agent.id)
      const guess = nearest(id, ids)
      const all = ids.length === 0 ? 'the base has none' : `the base has ${ids.join(', ')}`
      faults.add(path, `is no agent${guess ? `; did you mean "${guess}"?` : ''} (${all})`)
      return []
    }
    if (typeof instructions !== 'string') {
      faults.add(path, 'must be a text: the instructions of that agent')
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
