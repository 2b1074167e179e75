import type { Registry } from '../../contracts/plugin/plugin.ts'
import { PluginError } from '../../errors.ts'

const BUILT_IN = 'built in'

/**
 * Makes a registry whose items remember where they came from.
 *
 * @param kind what the items are, for messages
 * @param currentSource says who is adding now, where `add` is not told
 * @param check throws for an item that is wrong; svc's own, which say that they are `built in`, are not checked
 */
export function createRegistry<T>(
  kind: string,
  currentSource: () => string = () => BUILT_IN,
  check: (id: string, item: T, source: string) => void = () => {},
): Registry<T> {
  const items = new Map<string, { item: T; source: string }>()
  return {
    add(id, item, given) {
      const source = given ?? currentSource()
      const earlier = items.get(id)
      if (earlier !== undefined) {
        throw new PluginError(
          'plugin_duplicate',
          `${kind} "${id}" from ${source} is already there from ${earlier.source}: give one of them another id`,
          { plugin: source, stage: 'apply' },
        )
      }
      if (given !== BUILT_IN) check(id, item, source)
      items.set(id, { item, source })
    },
    get: (id) => items.get(id)?.item,
    ids: () => [...items.keys()],
    source: (id) => items.get(id)?.source,
  }
}
