import type { Host } from '../../contracts/plugin/plugin.ts'
import { PluginError, SvcError, toSvcError } from '../../errors.ts'
import type { HookAssembly } from '../hooks/hooks.ts'
import { openTopologies } from './own-topologies.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

/**
 * Hands the host to every plugin in turn.
 *
 * @throws PluginError `plugin_duplicate` for two plugins of one name, `plugin_failed` when one fails to apply
 */
export async function applyPlugins(
  plugins: RuntimeSettings['plugins'],
  hooks: HookAssembly,
  host: Omit<Host, 'hooks'>,
): Promise<void> {
  const seen = new Map<string, string>()
  for (const { plugin, source = 'built in' } of plugins) {
    const { name } = plugin
    const earlier = seen.get(name)
    if (earlier !== undefined) {
      throw new PluginError(
        'plugin_duplicate',
        `two plugins are called "${name}": one from ${earlier}, one from ${source}. Rename one, or put it into a slot of \`components\``,
        { plugin: name, stage: 'apply' },
      )
    }
    seen.set(name, source)
    hooks.applying = { name, mandatory: plugin.mandatory === true, source }
    const own = hooks.of(hooks.applying)
    try {
      await plugin.apply({ ...host, hooks: own, topologies: openTopologies(host.topologies, own) })
    } catch (thrown) {
      if (SvcError.isInstance(thrown)) throw thrown
      throw new PluginError('plugin_failed', `plugin "${name}" failed to apply: ${toSvcError(thrown).message}`, {
        plugin: name,
        stage: 'apply',
        cause: thrown,
      })
    }
  }
  hooks.applying = { name: 'unknown', mandatory: false, source: 'registered after start' }
}
