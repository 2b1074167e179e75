import { ConfigError, type LoadedConfig, type LoadedPlugin, type Plugin, SLOTS, type Slot } from '@svc/core'

/** Slots that may be empty: a run does without them. */
const MAY_BE_OFF: ReadonlySet<Slot> = new Set<Slot>(['memory', 'reflect', 'consensus', 'inspect'])

/** Built in, or as a config or a program names it. */
export type SlotPlugin = Omit<LoadedPlugin, 'authority'> & { authority?: LoadedPlugin['authority'] | 'built in' }

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
    if (chosen === undefined) return [builtIn(own)]
    if (chosen !== false) return [chosen]
    if (MAY_BE_OFF.has(slot)) return []
    throw new ConfigError(
      'config_invalid',
      `components.${slot}: cannot be switched off, only ${[...MAY_BE_OFF].join(', ')} can. Put another plugin there instead`,
    )
  })
  return filled
}

export const builtIn = (plugin: Plugin): SlotPlugin => ({ plugin, source: 'built in', authority: 'built in' })

/**
 * Marks the plugins that no config may leave out: those that the managed file loads, and those of a name that are built in
 * or that the program itself gives. What a config loads is never one of them, whatever it calls itself.
 *
 * @throws ConfigError `config_invalid` for a name that none of these has
 */
export function markMandatory(plugins: readonly SlotPlugin[], names: readonly string[]): SlotPlugin[] {
  for (const name of names) {
    const called = plugins.filter(({ plugin }) => plugin.name === name)
    if (called.some(isOurs)) continue
    const [other] = called
    const found = other === undefined ? 'was not found' : `is not the one of that name from ${other.source}`
    throw new ConfigError(
      'config_invalid',
      `plugin "${name}" is mandatory on this machine and ${found}: where it is none of svc's own, "mandatory" has to name its file, such as "/etc/svc/${name}.mjs"`,
    )
  }
  return plugins.map((each) => {
    const { plugin, authority } = each
    const isNamed = names.includes(plugin.name) || plugin.mandatory === true
    const mandatory = authority === 'managed' || (isOurs(each) && isNamed)
    if (mandatory === (plugin.mandatory === true)) return each
    return { ...each, plugin: { name: plugin.name, mandatory, apply: (host) => plugin.apply(host) } }
  })
}

/** Built in, or given by the program or the managed file. */
function isOurs({ authority }: SlotPlugin): boolean {
  return authority !== undefined
}
