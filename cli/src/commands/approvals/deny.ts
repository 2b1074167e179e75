import type { CommandContext } from '../../frame/context.ts'
import { defined } from '../../line/given-options.ts'
import { answer } from './approve.ts'

/** `svc approvals deny <id>`: a run does not use its tool. */
export default function deny(context: CommandContext, [word]: string[]): Promise<number> {
  return answer(context, word, { decision: 'deny', ...defined({ note: context.flags.own.text('note') }) })
}
