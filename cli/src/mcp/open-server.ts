import type { LoadedConfig } from '@svc/core'
import { defaultUserDir } from '@svc/core/config'
import { type McpPlace, type McpServer, openMcpServer } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import type { ConfiguredServer } from './configured.ts'

/** Where a command opens a server from; what the server logs is said with `--verbose`. */
export function placeOf({ io, flags }: CommandContext, loaded: LoadedConfig): McpPlace {
  return {
    workspace: loaded.workspace,
    trustsWorkspace: loaded.trustsFolder,
    env: { ...loaded.variables, ...io.env },
    userDir: defaultUserDir(io.env),
    ...(flags.verbose && { onLog: (line: string) => io.err(`${io.paint.dim(toSafe(line))}\n`) }),
  }
}

/** Works with a server, and closes it whatever comes of that. */
export async function withServer<Result>(
  context: CommandContext,
  loaded: LoadedConfig,
  { name, config }: Pick<ConfiguredServer, 'name' | 'config'>,
  work: (server: McpServer) => Promise<Result>,
): Promise<Result> {
  const server = await openMcpServer(name, config, placeOf(context, loaded))
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}
