import type { Decision } from '@svc/core'
import { toCall, toEdited } from '../../ask/ask-approval.ts'
import { confirmRule, sayWritten } from '../../ask/ask-grant.ts'
import { CallScreen } from '../../ask/call-screen.ts'
import type { CommandContext } from '../../frame/context.ts'
import { parseJson } from '../../input/read-json.ts'
import { defined } from '../../line/given-options.ts'
import { findId } from '../../session/find-id.ts'
import { sayIfLeft } from '../../session/left-runs.ts'

/** `svc approvals approve <id>`: lets a run use its tool, also with other arguments. */
export default function approve(context: CommandContext, [word]: string[]): Promise<number> {
  const { own } = context.flags
  const edit = own.text('edit')
  const remember = own.oneOf('remember', ['once', 'run', 'always'] as const)
  const scope = own.oneOf('scope', ['call', 'tool', 'prefix', 'folder'] as const)
  return answer(context, word, {
    decision: edit === undefined ? 'approve' : 'edit',
    ...(edit !== undefined && { args: parseJson('edit', edit) }),
    ...defined({ remember, scope, note: own.text('note') }),
  })
}

/** Records an answer, which the process that works on the run takes, and shows what was answered. */
export function answer(context: CommandContext, word: string | undefined, decision: Decision): Promise<number> {
  return context.use({ needsStore: true }, async ({ runtime, loaded }) => {
    const found = await findId(context, runtime, 'approval', word)
    if (decision.remember === 'always' && context.io.isInteractive && !context.flags.yes) {
      const asked = await runtime.approvals.get(found)
      if (!(await confirmRule(asked, decision, context.io))) {
        context.io.err('svc: nothing was answered\n')
        return 1
      }
    }
    const approval = await runtime.approvals.resolve(found, decision)
    const { id, runId, tool, status } = approval
    const { space = loaded?.workspace ?? 'the folder of its run' } = await runtime.runs.get(runId)
    const { args } = decision
    const call = args === undefined ? toCall(approval, space) : toEdited(approval, args, space)
    new CallScreen(call, context.io).showAlone()
    context.print(approval, () => `${id} (${tool}) is ${status}`)
    sayWritten(approval, decision, context.io)
    await sayIfLeft(context, runtime, runId)
    return 0
  })
}
