import { SvcError } from '@svc/core'
import { Approval, ApprovalId, ApprovalStatus, Decision } from '@svc/core/schema'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { pageAnswer } from '../http/pages.ts'
import { answerOnce } from '../http/request/idempotency.ts'
import { type Route, route } from './route.ts'
import { byId, listQuery, PageOf, query, reach } from './schemas.ts'

export const approvalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/approvals',
    summary: 'Lists what runs of this folder ask before they use a tool, the newest first.',
    query: query({ ...listQuery, status: Type.Optional(ApprovalStatus), ...reach }),
    answers: { 200: PageOf(Approval) },
    errors: ['invalid_cursor'],
    handle: async ({ context, query: asked, url }) => pageAnswer(await context.runtime.approvals.list(asked), url),
  }),
  route({
    method: 'GET',
    path: '/v1/approvals/{id}',
    summary: 'Shows one question with its exact arguments.',
    params: byId(ApprovalId),
    query: query(reach),
    answers: { 200: Approval },
    errors: ['approval_not_found'],
    handle: async ({ context, params: { id }, query: far }) => ok(await context.runtime.approvals.get(id, far)),
  }),
  route({
    method: 'POST',
    path: '/v1/approvals/{id}',
    needs: 'approve',
    summary:
      'Answers a question: approve, deny, or approve with other arguments; for this call, for what it offers in the rest of the run, or always, which needs an admin key.',
    params: byId(ApprovalId),
    body: Decision,
    isKeyed: true,
    answers: { 200: Approval },
    errors: ['approval_not_found', 'approval_closed', 'config_invalid'],
    handle(request) {
      const { context, params, body, caller } = request
      const { approvals } = context.runtime
      let written: string | undefined
      return answerOnce(
        request,
        async (isAgain) => {
          try {
            written = (await approvals.resolve(params.id, body, caller.name)).rulesFile
          } catch (thrown) {
            const isDone = SvcError.isInstance(thrown) && thrown.code === 'approval_closed'
            if (!isAgain || !isDone) throw thrown
          }
          return params.id
        },
        async (id) => {
          const { rulesFile: _, ...approval } = asAnswered(await approvals.get(id), body, caller.name)
          return ok(written === undefined ? approval : { ...approval, rulesFile: written })
        },
      )
    },
  }),
]

/** The question with its answer, which the process that holds the run takes in a moment, or when the run goes on. */
function asAnswered(approval: Approval, { decision, args }: Decision, by: string): Approval {
  if (approval.status !== 'pending') return approval
  const status = decision === 'deny' ? 'denied' : 'approved'
  return { ...approval, status, decision, args: decision === 'edit' ? args : approval.args, by }
}
