import { ConnectionError } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { findConfigured } from '../../mcp/configured.ts'
import { withServer } from '../../mcp/open-server.ts'

/** `svc mcp read <name> <uri>`: prints a resource. */
export default async function read(context: CommandContext, [name = '', uri = '']: string[]): Promise<number> {
  const loaded = await context.load()
  return withServer(context, loaded, findConfigured(loaded, name), async (server) => {
    const contents = await server.readResource(uri)
    if (contents.length === 0)
      throw new ConnectionError('connection_failed', `the MCP server "${name}" has nothing at ${uri}`)
    context.print(contents, () =>
      contents
        .map(({ text, blob = '', mimeType = 'of no known type', uri: part }) =>
          text === undefined
            ? `${part}: ${Buffer.from(blob, 'base64').length} bytes, ${mimeType}; --json has them`
            : text,
        )
        .join('\n'),
    )
    return 0
  })
}
