import { resolve } from 'node:path'
import { toSvcError } from '@svc/core'
import { checkTrust, listRuns, recordTrust, removeTrust, shown } from '@svc/core/config'
import type { CommandContext } from '../frame/context.ts'
import { wrong } from '../line/wrong.ts'
import { describeTrust } from '../render/config-files.ts'
import { auditTrust } from '../session/audit-trust.ts'

/** Long enough for what core has cut already. */
const LONGEST_LINE = 2_000

/** `svc trust`: allows this folder's own code and settings, as they are now, with files that only running code names. */
export default async function trust(context: CommandContext, words: string[]): Promise<number> {
  const { flags } = context
  const folder = resolve(flags.cwd ?? process.cwd())
  const [isList, isRemove] = [flags.own.is('list'), flags.own.is('remove')]
  if ((isList || isRemove) && words.length > 0)
    throw wrong(`svc trust ${isList ? '--list' : '--remove'} takes no files`)
  const show = (lines: readonly string[]): string[] => lines.map((line) => `  ${shown(line, LONGEST_LINE)}`)
  if (isList) {
    const { loadable: _, ...state } = checkTrust(folder)
    const files = [...state.files.keys()]
    const runs = await listRuns(folder).catch((thrown: unknown) => [toSvcError(thrown).message])
    const allows = runs.length === 0 ? [] : ['Trust in it allows:', ...show(runs)]
    context.print({ folder, state, files, runs }, () =>
      [`${shown(folder)}: ${describeTrust(state)}`, ...show(files), ...allows].join('\n'),
    )
    return 0
  }
  if (isRemove) {
    auditTrust('trust.removed', folder, context.io.env)
    await removeTrust(folder)
    context.print({ folder, trusted: false }, () => `${shown(folder)} is not trusted any more`)
    return 0
  }
  auditTrust('trust.given', folder, context.io.env, words.length === 0 ? {} : { also: words })
  const { files } = await recordTrust(folder, { also: words.map((word) => resolve(folder, word)) })
  context.print({ folder, trusted: true, files }, () =>
    files.length === 0
      ? `${shown(folder)} is trusted; it has no config and no drop-ins yet`
      : [
          `${shown(folder)} is trusted with ${files.length === 1 ? 'this file as it is' : `these ${files.length} files as they are`} now; a change asks again:`,
          ...show(files),
        ].join('\n'),
  )
  return 0
}
