import type { Host, Plugin } from '../../contracts/plugin/plugin.ts'

/** Stage of a tap that changes an earlier answer: it runs after every tap that gives one. */
export const AMEND = 1000

/**
 * Makes a plugin: a function of its options.
 *
 * @param name lower case, digits and hyphens; unique within a runtime
 * @param setup taps hooks and fills registries; called once per runtime
 * @example
 * export const careful = definePlugin('careful', ({ hooks }, { from = 0.3 }: { from?: number }) => {
 *   hooks.analyze.tap({ name: 'careful', stage: AMEND }, (complexity) =>
 *     complexity && complexity.score >= from ? { ...complexity, recommendedTopology: 'CENTRALIZED' } : undefined)
 * })
 */
export function definePlugin<O extends object = object>(
  name: string,
  setup: (host: Host, options: O) => void | Promise<void>,
): (options?: O) => Plugin {
  return (options) => ({ name, apply: (host) => setup(host, (options ?? {}) as O) })
}
