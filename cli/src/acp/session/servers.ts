import type { McpServer } from '@agentclientprotocol/sdk'
import type { LoadedConfig, McpServerConfig } from '@svc/core'
import { wrong } from '../../line/wrong.ts'

const MOST_NAME_CHARS = 60

/**
 * A config with the servers that an editor names for a session. They are the person's own, as those of `svc mcp add`; one whose
 * name is taken gets a number.
 *
 * @throws ValidationError `validation_failed` for a server that svc cannot reach
 */
export function withEditorServers(loaded: LoadedConfig, servers: readonly McpServer[]): LoadedConfig {
  if (servers.length === 0) return loaded
  const all: Record<string, McpServerConfig> = { ...loaded.config.mcpServers }
  for (const [index, server] of servers.entries()) all[freeName(server.name, all)] = toConfig(server, index)
  return { ...loaded, config: { ...loaded.config, mcpServers: all } }
}

function freeName(given: string, taken: Readonly<Record<string, unknown>>): string {
  const plain = given.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, MOST_NAME_CHARS)
  const name = /^[A-Za-z0-9]/.test(plain) ? plain : `s${plain}`
  let free = name
  for (let number = 2; Object.hasOwn(taken, free); number++) free = `${name}-${number}`
  return free
}

function toConfig(server: McpServer, index: number): McpServerConfig {
  if (!('type' in server)) return { command: server.command, args: [...server.args], env: byName(server.env) }
  if (server.type === 'http') return { url: server.url, headers: byName(server.headers) }
  throw wrong(
    `mcpServers[${index}] (${server.name}) speaks ${server.type}, which svc does not: use stdio or http`,
    `mcpServers/${index}/type`,
  )
}

const byName = (pairs: readonly { name: string; value: string }[]): Record<string, string> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
