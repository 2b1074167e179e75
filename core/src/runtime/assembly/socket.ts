import type { Socket } from '../../contracts/plugin/plugin.ts'
import { PluginError } from '../../errors.ts'

/**
 * Makes a socket that one plugin may fill.
 *
 * @param name for messages, as in `host.memory`
 * @param current says who is filling it now
 */
export function createSocket<T>(name: string, current: () => string): Socket<T> {
  let filled: { api: T; by: string } | undefined
  return {
    provide(api) {
      const by = current()
      if (filled !== undefined) {
        throw new PluginError(
          'plugin_duplicate',
          `plugin "${by}" provides host.${name}, which plugin "${filled.by}" provides already: leave one of them out, or put yours into the slot components.${name === 'inspection' ? 'inspect' : name}`,
          { plugin: by, stage: 'apply' },
        )
      }
      filled = { api, by }
    },
    get: () => filled?.api,
  }
}
