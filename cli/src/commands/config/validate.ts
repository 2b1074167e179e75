import { causeOf } from '@svc/core/config'
import type { CommandContext } from '../../frame/context.ts'
import { describeFiles } from '../../render/config-files.ts'

/** `svc config validate`: is what is configured right? What it finds is its result. */
export default async function validate(context: CommandContext): Promise<number> {
  const loaded = await context.load({ saysProblems: false })
  const { files, trusted, skipped, problems } = loaded
  const broken = problems.map(({ file, error }) => ({ file, code: error.code, message: error.message }))
  context.print({ valid: broken.length === 0, files, trusted, problems: broken, skipped }, () =>
    broken.length === 0 ? `valid: ${describeFiles(loaded)}` : problems.map(causeOf).join('\n'),
  )
  return broken.length === 0 ? 0 : 3
}
