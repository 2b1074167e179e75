import { ConfigError } from '@svc/core'
import { defaultUserDir } from '@svc/core/config'
import { forgetLogins } from '@svc/plugins'
import type { CommandContext } from '../../frame/context.ts'
import { changeOwnServers, findConfigured, ownServersFile, readOwnServers } from '../../mcp/configured.ts'

/** `svc mcp remove <name>`: takes a server out of the person's own, and forgets its login. */
export default async function remove(context: CommandContext, [name = '']: string[]): Promise<number> {
  const { env } = context.io
  const file = ownServersFile(env)
  if (!Object.hasOwn((await readOwnServers(env)).mcpServers, name)) {
    const { source } = findConfigured(await context.load(), name)
    throw new ConfigError(
      'config_invalid',
      `"${name}" is not one of ${file}: it comes from ${source}, so take it out there`,
    )
  }
  await changeOwnServers(env, (blocks) => {
    delete blocks[name]
  })
  await forgetLogins(defaultUserDir(env), name)
  context.print({ name, removed: true }, () => `removed ${name} from ${file}`)
  return 0
}
