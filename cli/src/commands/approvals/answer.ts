import type { Decision } from '@svc/core'
import { toCall, toEdited } from '../../approval/ask-approval.ts'
import { CallScreen } from '../../approval/call-screen.ts'
import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { oneOf } from '../../flags.ts'
import { isLeft } from '../../left-runs.ts'
import { parseJson } from '../../read-json.ts'
import { textOf } from '../../read-options.ts'
import { refuseWords } from '../../refuse-words.ts'

/** `svc approvals approve|deny <id>`: records an answer, which the process that works on the run takes. */
export default async function answer(
  context: CommandContext,
  action: 'approve' | 'deny',
  words: string[],
): Promise<number> {
  refuseWords(`approvals ${action}`, words, 1)
  const { rest } = context.flags
  const edit = textOf(rest.edit)
  const note = textOf(rest.note)
  const remember = oneOf('remember', textOf(rest.remember), ['once', 'run'] as const)
  const decision: Decision = {
    decision: edit === undefined ? action : 'edit',
    ...(edit === undefined ? {} : { args: parseJson('edit', edit) }),
    ...(remember === undefined ? {} : { remember }),
    ...(note === undefined ? {} : { note }),
  }
  const { runtime, loaded } = await context.start({ needsStore: true })
  try {
    const approval = await runtime.approvals.resolve(await findId(context, runtime, 'approval', words[0]), decision)
    const { id, runId, tool, status } = approval
    const { space = loaded?.workspace ?? 'the folder of its run' } = await runtime.runs.get(runId)
    new CallScreen(
      decision.args === undefined ? toCall(approval, space) : toEdited(approval, decision.args, space),
      context.io,
    ).showAlone()
    context.print(approval, () => `${id} (${tool}) is ${status}`)
    if (await isLeft(runtime, runId))
      context.io.err(
        `svc: no process works on ${runId}: ${context.commandOf(`runs resume ${runId}`)} goes on with it\n`,
      )
    return 0
  } finally {
    await runtime.close()
  }
}
