import type { OwnTopology } from '../../contracts/plugin/own-topology.ts'
import type { Hooks, Registry } from '../../contracts/plugin/plugin.ts'
import { TOPOLOGY_NAME, toTopology } from '../../contracts/words.ts'
import { PluginError } from '../../errors.ts'

/** @throws PluginError `plugin_failed` for a name that no run could ask for, or a topology without a plan */
export function assertTopology(name: string, { plan, agents = 1 }: OwnTopology, plugin: string): void {
  const fail = (message: string): never => {
    throw new PluginError('plugin_failed', `topology "${name}" of plugin ${plugin}: ${message}`, {
      plugin,
      stage: 'apply',
    })
  }
  if (!TOPOLOGY_NAME.test(name)) fail('its name must be capital letters, digits and "_", at most 64, a letter first')
  const known = toTopology(name)
  if (known !== undefined)
    fail(`${known === name ? 'svc has this name' : `svc has this name for ${known}`}: give another`)
  if (typeof plan !== 'function') fail('it must have a function `plan`')
  if (!Number.isInteger(agents) || agents < 1 || agents > 1000) fail('`agents` must be a whole number from 1 to 1000')
}

/** The registry as one plugin is handed it: its topologies answer as taps of it. */
export function openTopologies(registry: Registry<OwnTopology>, hooks: Hooks): Registry<OwnTopology> {
  return {
    ...registry,
    add(name, topology, source) {
      registry.add(name, topology, source)
      hooks.plan.tapPromise(name, async (answer, input, run) => {
        if (answer !== undefined || input.allocation.topology !== name) return undefined
        const plan = await topology.plan(input, run)
        return plan && { topology: name, ...plan }
      })
      if (topology.execute === undefined) return
      hooks.execute.tapPromise(name, async (answer, input, run) =>
        answer !== undefined || input.plan.topology !== name ? undefined : topology.execute?.(input, run),
      )
    },
  }
}
