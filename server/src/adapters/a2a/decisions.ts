import { type Approval, type Decision, fits } from '@svc/core'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { toDecision } from '../shared/answer-asked.ts'
import { badField } from './errors.ts'
import { type SentMessage, textOf } from './message.ts'

/** What a client answers to an approval, as data of a message. */
const SentDecision = Type.Object({
  approvalId: Type.Optional(Type.String()),
  approved: Type.Boolean(),
  args: Type.Optional(Type.Unknown({ description: 'other arguments to call with' })),
  note: Type.Optional(Type.String()),
})

const YES = ['yes', 'y', 'ok', 'approve', 'approved']
const NO = ['no', 'n', 'deny', 'denied', 'reject', 'rejected']

/**
 * What a message answers to the approvals that a task waits for.
 *
 * @throws SvcError where it answers none of them, or does not say which
 */
export function decisionsIn(message: SentMessage, open: readonly Approval[]): { id: string; decision: Decision }[] {
  const given = message.parts.flatMap(({ data }) => (fits(SentDecision, data) ? [data] : []))
  const answers: Static<typeof SentDecision>[] = given.length > 0 ? given : [{ approved: toAnswer(textOf(message)) }]
  return answers.map(({ approvalId, ...said }) => {
    const id = approvalId ?? (open.length === 1 ? open[0]?.id : undefined)
    if (id === undefined || !open.some((approval) => approval.id === id)) throw unclear(open)
    return { id, decision: toDecision(said) }
  })
}

function toAnswer(text: string): boolean {
  const word = text.toLowerCase().replace(/[.!]$/, '')
  if (YES.includes(word)) return true
  if (NO.includes(word)) return false
  throw badField('message.parts', 'must answer what the task asks: yes or no, or data such as {"approved": true}')
}

const unclear = (open: readonly Approval[]): Error =>
  badField('message.parts', `approvalId must be one of ${open.map(({ id }) => id).join(', ')}`)
