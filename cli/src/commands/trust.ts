import { resolve } from 'node:path'
import { checkTrust, listTrustFiles, recordTrust, removeTrust } from '@svc/core/config'
import type { CommandContext } from '../context.ts'
import { describeTrust } from '../render/trust.ts'

/** `svc trust`: allows this folder's own code and settings, as they are now. */
export default async function trust(context: CommandContext): Promise<number> {
  const { flags } = context
  const folder = resolve(flags.cwd ?? process.cwd())
  const files = listTrustFiles(folder)
  if (flags.rest.list === true) {
    const state = checkTrust(folder)
    context.print({ folder, state, files }, () =>
      [`${folder}: ${describeTrust(state)}`, ...files.map((file) => `  ${file}`)].join('\n'),
    )
    return 0
  }
  if (flags.rest.remove === true) {
    await removeTrust(folder)
    context.print({ folder, trusted: false }, () => `${folder} is not trusted any more`)
    return 0
  }
  await recordTrust(folder)
  context.print({ folder, trusted: true, files }, () =>
    files.length === 0
      ? `${folder} is trusted; it has no config and no drop-ins yet`
      : [
          `${folder} is trusted with ${files.length === 1 ? 'this file as it is' : `these ${files.length} files as they are`} now; a change asks again:`,
          ...files.map((file) => `  ${file}`),
        ].join('\n'),
  )
  return 0
}
