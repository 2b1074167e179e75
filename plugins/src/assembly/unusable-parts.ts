import { ConfigError, type ConfigProblem, type UnusablePart } from '@svc/core'
import { describeProblem } from '@svc/core/config'

/** What a drop-in that cannot be used would have defined; nothing where its name does not say, and for a plugin. */
export function toUnusable({ file, error, defines }: ConfigProblem): UnusablePart[] {
  if (defines === undefined || defines.kind === 'plugin') return []
  const { kind, id } = defines
  const said = new ConfigError('config_invalid', describeProblem({ file, error }), { cause: error })
  return [{ kind, id, source: file, error: said }]
}
