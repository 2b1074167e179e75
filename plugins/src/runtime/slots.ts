import { ConfigError, type LoadedConfig, type Plugin, SLOTS, type Slot } from '@svc/core'

/** Slots that may be empty: a run does without them. */
const MAY_BE_OFF: ReadonlySet<Slot> = new Set<Slot>(['memory', 'reflect', 'consensus', 'inspect'])

export interface SlotPlugin {
  plugin: Plugin
  source: string
}

/**
 * Puts the config's plugins into the slots of the defaults.
 *
 * @throws ConfigError `config_invalid` when a slot that must be filled is switched off, or a mandatory plugin is left out
 */
export function fillSlots(
  defaults: Readonly<Record<Slot, Plugin>>,
  loaded: LoadedConfig,
  mandatory: readonly string[],
): SlotPlugin[] {
  const filled = SLOTS.flatMap((slot): SlotPlugin[] => {
    const chosen = loaded.slots[slot]
    const own = defaults[slot]
    if (chosen !== undefined && mandatory.includes(own.name)) {
      throw new ConfigError(
        'config_invalid',
        `components.${slot}: plugin "${own.name}" is mandatory here and can be neither replaced nor switched off`,
      )
    }
    if (chosen === undefined) return [{ plugin: own, source: 'built in' }]
    if (chosen !== false) return [chosen]
    if (MAY_BE_OFF.has(slot)) return []
    throw new ConfigError(
      'config_invalid',
      `components.${slot}: cannot be switched off, only ${[...MAY_BE_OFF].join(', ')} can. Put another plugin there instead`,
    )
  })
  return filled
}

/** Marks the plugins that no config may leave out. */
export function markMandatory(plugins: readonly SlotPlugin[], mandatory: readonly string[]): SlotPlugin[] {
  for (const name of mandatory) {
    if (plugins.some(({ plugin }) => plugin.name === name)) continue
    throw new ConfigError('config_invalid', `plugin "${name}" is mandatory on this machine and was not found`)
  }
  return plugins.map(({ plugin, source }) => {
    if (!mandatory.includes(plugin.name)) return { plugin, source }
    return { plugin: { name: plugin.name, mandatory: true, apply: (host) => plugin.apply(host) }, source }
  })
}
