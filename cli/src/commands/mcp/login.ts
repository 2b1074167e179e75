import { defaultUserDir } from '@svc/core/config'
import { forgetLogins, logInToMcpServer } from '@svc/plugins'
import type { CommandContext } from '../../frame/context.ts'
import { findConfigured } from '../../mcp/configured.ts'
import { placeOf } from '../../mcp/open-server.ts'

/** `svc mcp login <name>`: signs in to a server, in a browser. */
export default async function login(context: CommandContext, [name = '']: string[]): Promise<number> {
  const { io, flags } = context
  const userDir = defaultUserDir(io.env)
  if (flags.own.is('remove')) {
    const removed = await forgetLogins(userDir, name)
    context.print({ name, removed }, () => (removed ? `forgot the login of ${name}` : `there is no login of ${name}`))
    return 0
  }
  const loaded = await context.load()
  const { server, hasSignedIn } = await logInToMcpServer(name, findConfigured(loaded, name).config, {
    userDir,
    place: placeOf(context, loaded),
    onAddress: (address) =>
      io.show(`svc: open this address in a browser of this machine, and sign in there:\n\n  ${address.href}\n\n`),
  })
  await server.close()
  context.print({ name, signedIn: hasSignedIn }, () =>
    hasSignedIn ? `signed in to ${name}` : `${name} wants no login now: it has one, or needs none`,
  )
  return 0
}
