import { ConfigError, type ConfigProblem, type UnusablePart, type Warning } from '@svc/core'
import { describeProblem } from '@svc/core/config'

/** What a file that cannot be used would have defined; nothing where its name does not say, for a plugin, and for an MCP server. */
export function toUnusable({ file, error, defines }: ConfigProblem): UnusablePart[] {
  if (defines === undefined || defines.kind === 'plugin' || defines.kind === 'server') return []
  const { kind, id } = defines
  const said = new ConfigError('config_invalid', describeProblem({ file, error }), { cause: error })
  return [{ kind, id, source: file, error: said }]
}

/** What svc cannot do on this system, in one sentence that is said at the start. */
export const platformWarnings = (platform: NodeJS.Platform = process.platform): Warning[] =>
  platform === 'win32'
    ? [
        {
          code: 'platform_limited',
          message:
            'svc was not tried on Windows: programs run only with policy.sandbox "none", and its files are readable for whom Windows lets read your folder. In WSL 2 it is as on Linux',
        },
      ]
    : []
