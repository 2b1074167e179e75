import type { CommandContext } from '../context.ts'
import { readAction } from '../read-action.ts'
import { checkActionOptions } from '../read-options.ts'

/** Which actions take an option. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  status: ['list'],
  after: ['list'],
  limit: ['list'],
  edit: ['approve'],
  remember: ['approve'],
  note: ['approve', 'deny'],
}

/** `svc approvals list|approve|deny`: what runs of any process ask a person. */
export default async function approvals(context: CommandContext, [word = 'list', ...words]: string[]): Promise<number> {
  const action = readAction('approvals', word, ['list', 'approve', 'deny'] as const)
  checkActionOptions('approvals', action, context.flags.rest, OPTIONS)
  if (action === 'list') return (await import('./approvals/list.ts')).default(context, words)
  const { default: answer } = await import('./approvals/answer.ts')
  return answer(context, action, words)
}
