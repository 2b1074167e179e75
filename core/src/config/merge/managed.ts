import { dirname } from 'node:path'
import { DEFAULT_TOKEN_BUDGET, ManagedConfig, type SvcConfig } from '../../contracts/config.ts'
import type { FieldError } from '../../errors.ts'
import { findErrors } from '../../validate.ts'
import { kindOf } from '../find/paths.ts'
import type { ModuleLoader } from '../modules/load-module.ts'
import { isModulePath } from '../modules/resolve-module.ts'
import { throwIfAny } from '../read/check-config.ts'
import { invalid } from '../read/config-error.ts'
import { findUnknown } from '../read/find-unknown.ts'
import { isRecord, parseData, readBytes, toText } from '../read/read-data.ts'
import { type Layer, mergeLayers } from './merge.ts'
import { type LoadedPlugin, resolvePlugins } from './resolve-plugins.ts'

/**
 * Reads the managed file of this machine.
 *
 * @returns `undefined` where there is none
 * @throws ConfigError `config_invalid` when it exists and cannot be used: bounds are never skipped silently
 */
export async function readManaged(file: string): Promise<ManagedConfig | undefined> {
  if (kindOf(file) === undefined) return undefined
  const value = await parseData(toText(readBytes(file), file), file)
  if (!isRecord(value)) throw invalid(file, 'must be an object of settings')
  const { $schema: _, ...fields } = value
  const errors: FieldError[] = []
  const known = findUnknown(ManagedConfig, fields, '', errors)
  throwIfAny([...errors, ...findErrors(ManagedConfig, known)], file)
  return known as ManagedConfig
}

/** The plugins that the managed file names by their files, loaded from there: no plugin of a config passes for one. */
export async function loadMandatory(
  { mandatory = [] }: ManagedConfig,
  file: string,
  modules: ModuleLoader,
): Promise<LoadedPlugin[]> {
  const plugins = await resolvePlugins(mandatory.filter(isModulePath), dirname(file), file, modules)
  return plugins.map((loaded) => ({ ...loaded, authority: 'managed' }))
}

/**
 * The layer that holds a config within the managed bounds, merged last: budgets and limits of the
 * server that are larger or absent become the managed ones. Its rules and its default of the policy are not merged: beside
 * a person's own they would allow what these deny. The runtime asks them as well, and the strictest answer counts.
 */
export function toBounds({ policy, budget, server }: ManagedConfig, config: SvcConfig, source: string): Layer {
  const { rules: _rules, default: _default, ...places } = policy ?? {}
  const tokens = budget?.maxTokens
  const soft = tokens === undefined ? undefined : Math.min(tokens, config.tokenBudget ?? tokens)
  const limits = lower(server?.limits, config.server?.limits)
  const standing = { maxTokens: 2 * (config.tokenBudget ?? DEFAULT_TOKEN_BUDGET), ...config.budget }
  return {
    source,
    config: {
      ...(Object.keys(places).length === 0 ? {} : { policy: { ...places, ...memoryOf(places, config.policy) } }),
      ...(budget === undefined ? {} : { budget: lower(budget, standing) }),
      ...(soft === undefined || soft === config.tokenBudget ? {} : { tokenBudget: soft }),
      ...(server?.limits === undefined ? {} : { server: { limits } }),
    },
  }
}

/** Merges layers, then the managed bounds. */
export function bound(layers: readonly Layer[], managed: ManagedConfig | undefined, source: string) {
  const merged = mergeLayers(layers)
  return managed === undefined ? merged : mergeLayers([...layers, toBounds(managed, merged.config, source)])
}

/** Of two limits on memory the lower. */
function memoryOf({ memoryMb: most }: Policy, { memoryMb = most }: Policy = {}): Policy {
  return most === undefined || memoryMb === undefined ? {} : { memoryMb: Math.min(most, memoryMb) }
}

type Policy = NonNullable<SvcConfig['policy']>

/** The bounds that are tighter than what is set. */
function lower<Bounds extends object>(bounds: Bounds | undefined, set: Bounds | undefined): Bounds {
  const entries = Object.entries(bounds ?? {}).filter(([name, limit]) => {
    const current: unknown = Reflect.get(set ?? {}, name)
    return typeof current !== 'number' || current > Number(limit)
  })
  return Object.fromEntries(entries) as Bounds
}
