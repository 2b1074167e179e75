import { redact } from '@svc/core'
import { describeServer } from '@svc/core/config'
import type { CommandContext } from '../../frame/context.ts'
import { listServers } from '../../mcp/configured.ts'
import { renderTable } from '../../render/table.ts'

/** `svc mcp list`: which servers are there, and who says so? */
export default async function list(context: CommandContext): Promise<number> {
  const loaded = await context.load()
  const servers = listServers(loaded).map(({ name, config, source }) => ({
    name,
    state: config.disabled === true ? 'off' : 'on',
    source,
    config,
  }))
  const untrusted = loaded.skipped.flatMap(({ file, defines }) =>
    defines.flatMap(({ kind, id }) => (kind === 'server' ? [{ name: id, state: 'untrusted', source: file }] : [])),
  )
  const shown = [...servers.map((server) => ({ ...server, config: redact(server.config) })), ...untrusted]
  const rows = [
    ...servers.map(({ name, state, source, config }) => [name, state, describeServer(config), source]),
    ...untrusted.map(({ name, state, source }) => [name, state, 'svc trust allows it', source]),
  ]
  context.print(shown, (columns) =>
    rows.length === 0
      ? 'no MCP servers yet: add one with svc mcp add <name> -- <command>'
      : renderTable(['server', 'state', 'what it is', 'from'], rows, columns, { free: ['what it is'] }),
  )
  return 0
}
