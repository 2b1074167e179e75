import { homedir } from 'node:os'
import { ConfigError, type McpServerConfig } from '@svc/core'
import { expandVariables } from '@svc/core/support'

/** The fields that variables may stand in. */
const EXPANDED = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth'] as const

/**
 * The config of a server with its variables put in. `userHome` and `workspaceFolder` count as such, as some programs have it.
 *
 * @throws ConfigError `config_invalid` naming a variable that is not set, or an address that is none
 */
export function expandServer(
  name: string,
  config: McpServerConfig,
  { workspace, env = process.env }: { workspace: string; env?: Readonly<Record<string, string | undefined>> },
): McpServerConfig {
  const variables = { userHome: homedir(), workspaceFolder: workspace, ...env }
  const path = `/mcpServers/${name}`
  const expand = <T>(value: T, at: string): T => {
    if (typeof value === 'string')
      return expandVariables(value, variables, (variable) => {
        throw new ConfigError('config_invalid', `${at} names the variable ${variable}, which is not set`)
      }) as T
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, inner]) => [key, expand(inner, `${at}/${key}`)] as const)
    return (Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)) as T
  }
  const fields = EXPANDED.flatMap((field) =>
    config[field] === undefined ? [] : [[field, expand(config[field], `${path}/${field}`)] as const],
  )
  const expanded: McpServerConfig = { ...config, ...Object.fromEntries(fields) }
  const { url } = expanded
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    throw new ConfigError('config_invalid', `${path}/url must be a URL that begins with http:// or https://`)
  return expanded
}
