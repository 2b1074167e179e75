import { Approval, ApprovalStatus, Decision } from '@svc/core/schema'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { pageAnswer } from '../http/pages.ts'
import { type Route, route } from './route.ts'
import { ApprovalId, byId, listQuery, PageOf, query } from './schemas.ts'

export const approvalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/approvals',
    auth: 'key',
    summary: 'Lists what runs ask before they use a tool, the newest first.',
    query: query({ ...listQuery, status: Type.Optional(ApprovalStatus) }),
    answers: { 200: PageOf(Approval) },
    errors: ['invalid_cursor'],
    handle: async ({ context, query: asked, url }) => pageAnswer(await context.runtime.approvals.list(asked), url),
  }),
  route({
    method: 'GET',
    path: '/v1/approvals/{id}',
    auth: 'key',
    summary: 'Shows one question with its exact arguments.',
    params: byId(ApprovalId),
    answers: { 200: Approval },
    errors: ['approval_not_found'],
    handle: async ({ context, params: { id } }) => ok(await context.runtime.approvals.get(id)),
  }),
  route({
    method: 'POST',
    path: '/v1/approvals/{id}',
    auth: 'key',
    summary: 'Answers a question: approve, deny, or approve with other arguments.',
    params: byId(ApprovalId),
    body: Decision,
    isKeyed: true,
    answers: { 200: Approval },
    errors: ['approval_not_found', 'approval_closed'],
    handle: (request) =>
      request.context.replays.once(request, async () => {
        const { context, params, body } = request
        return ok(await context.runtime.approvals.resolve(params.id, body))
      }),
  }),
]
