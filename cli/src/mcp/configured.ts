import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig, McpServerConfig } from '@svc/core'
import {
  defaultUserDir,
  findSkippedDefinition,
  readMcpContent,
  skippedDefinitionError,
  toPointer,
  USER_MCP_FILE,
  writeOwnRecord,
} from '@svc/core/config'
import type { Io } from '../frame/io.ts'
import { didYouMean, wrong } from '../line/wrong.ts'

/** A server as it is configured, and the file or layer that says so. */
export interface ConfiguredServer {
  name: string
  config: McpServerConfig
  source: string
}

/** The servers that a config has, by name. */
export function listServers({ config, origin }: Pick<LoadedConfig, 'config' | 'origin'>): ConfiguredServer[] {
  return Object.entries(config.mcpServers ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, server]) => {
      const pointer = toPointer('/mcpServers', name)
      const key = Object.keys(origin).find((known) => known === pointer || known.startsWith(`${pointer}/`))
      return { name, config: server, source: (key === undefined ? undefined : origin[key]) ?? 'default' }
    })
}

/**
 * The server of this name.
 *
 * @throws ConfigError `config_untrusted` for one of a folder that is not trusted; ValidationError `validation_failed` where there
 *   is none
 */
export function findConfigured(loaded: LoadedConfig, name: string): ConfiguredServer {
  const servers = listServers(loaded)
  const found = servers.find((server) => server.name === name)
  if (found !== undefined) return found
  const file = findSkippedDefinition(loaded, 'server', name)
  if (file !== undefined) throw skippedDefinitionError(file, 'server', name)
  const broken = loaded.problems.find(({ defines }) => defines?.kind === 'server' && defines.id === name)
  if (broken !== undefined) throw broken.error
  throw noServer(
    name,
    servers.map((server) => server.name),
  )
}

export function noServer(name: string, known: readonly string[]) {
  const others = known.length === 0 ? 'svc mcp add makes one' : `there are ${known.join(', ')}`
  return wrong(`there is no MCP server "${name.slice(0, 80)}"${didYouMean(name, known, `: ${others}`)}`)
}

/** The person's own file of servers. */
export const ownServersFile = (env: Io['env']): string => join(defaultUserDir(env), USER_MCP_FILE)

/** What the person's own file of servers says, unchecked. @throws ConfigError `config_invalid` */
export async function readOwnServers(env: Io['env']): Promise<{ mcpServers: Record<string, unknown> }> {
  const file = ownServersFile(env)
  return existsSync(file) ? readMcpContent(file) : { mcpServers: {} }
}

/**
 * Changes the person's own file of servers, and keeps what else stands in it.
 *
 * @param change gets the blocks by name, unchecked, and changes them
 * @throws ConfigError `config_invalid` for a file that cannot be read; it is left as it is
 */
export async function changeOwnServers(
  env: Io['env'],
  change: (blocks: Record<string, unknown>) => void,
): Promise<void> {
  await writeOwnRecord(defaultUserDir(env), USER_MCP_FILE, async () => {
    const content = await readOwnServers(env)
    change(content.mcpServers)
    return content
  })
}
