import { SLOTS, type Slot, type SvcConfig } from '../../contracts/config.ts'
import type { Plugin } from '../../contracts/plugin/plugin.ts'
import { ConfigError } from '../../errors.ts'
import type { ModuleLoader } from '../modules/load-module.ts'
import { describe, isPlugin } from '../read/check-config.ts'

/** A plugin, and the file or layer that named it. */
export interface LoadedPlugin {
  plugin: Plugin
  source: string
  /** Who answers for it where not a config alone does: the managed file, which makes it mandatory, or the program itself. */
  authority?: 'managed' | 'program'
}

/** Who stands in the slots of the default plugins; `false` is an empty slot. */
export type LoadedSlots = Partial<Record<Slot, LoadedPlugin | false>>

/**
 * Turns what a config says of plugins into plugins, in the same order.
 *
 * @param folder where relative paths start
 * @param source where the config comes from
 * @throws ConfigError `plugin_load_failed` naming module and reason
 */
export async function resolvePlugins(
  entries: SvcConfig['plugins'],
  folder: string,
  source: string,
  modules: ModuleLoader,
): Promise<LoadedPlugin[]> {
  const plugins: LoadedPlugin[] = []
  for (const entry of entries ?? []) {
    if (typeof entry === 'string') plugins.push(await loadPlugin(entry, folder, modules))
    else if (Array.isArray(entry)) plugins.push(await loadPlugin(entry[0], folder, modules, entry[1]))
    else plugins.push({ plugin: entry as Plugin, source })
  }
  return plugins
}

/** Turns what a config says of the slots into plugins. @throws ConfigError `plugin_load_failed` */
export async function resolveSlots(
  components: SvcConfig['components'],
  folder: string,
  source: string,
  modules: ModuleLoader,
): Promise<LoadedSlots> {
  const slots: LoadedSlots = {}
  for (const slot of SLOTS) {
    const value = components?.[slot]
    if (value === undefined) continue
    if (value === false) slots[slot] = false
    else if (typeof value === 'string') slots[slot] = await loadPlugin(value, folder, modules)
    else slots[slot] = { plugin: value as Plugin, source }
  }
  return slots
}

async function loadPlugin(
  name: string,
  folder: string,
  modules: ModuleLoader,
  options?: object,
): Promise<LoadedPlugin> {
  const { value, source } = await modules.loadNamed(name, folder)
  return { plugin: toPlugin(value, source, options), source }
}

/**
 * A module's default export as a plugin: it is one, or a function that makes one from options.
 *
 * @throws ConfigError `plugin_load_failed` when it is neither, or when making it fails
 */
export function toPlugin(value: unknown, source: string, options?: object): Plugin {
  const made = typeof value === 'function' ? make(value as (options?: object) => unknown, source, options) : value
  if (isPlugin(made)) return made as Plugin
  const what = made === undefined ? 'nothing' : describe(made)
  throw new ConfigError(
    'plugin_load_failed',
    `${source}: must export a plugin by default, or a function that makes one (definePlugin); it exports ${what}`,
    { details: { file: source } },
  )
}

function make(factory: (options?: object) => unknown, source: string, options: object | undefined): unknown {
  try {
    return factory(options)
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new ConfigError('plugin_load_failed', `${source}: failed while making the plugin: ${message}`, {
      cause: thrown,
      details: { file: source },
    })
  }
}
