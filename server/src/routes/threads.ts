import { ByName, Thread, ThreadCopy, ThreadCreate, ThreadId, ThreadMessage } from '@svc/core/schema'
import * as Type from 'typebox'
import { type Answer, NO_CONTENT, ok } from '../http/answer.ts'
import { assertMatch } from '../http/entity-tag.ts'
import { pageAnswer } from '../http/pages.ts'
import { answerOnce } from '../http/request/idempotency.ts'
import { type Route, route } from './route.ts'
import { byId, listQuery, PageOf, query, reach } from './schemas.ts'

const ThreadChange = Type.Object(
  {
    title: Type.Optional(Type.String({ maxLength: 1000 })),
    metadata: Type.Optional(ByName(Type.Unknown(), { description: 'merged into what is there' })),
  },
  { additionalProperties: false },
)
const threadOrder = Type.Optional(
  Type.Enum(['asc', 'desc', 'activity'], {
    description: 'default desc: newest first; activity: by updatedAt, what happened last first',
  }),
)
const order = Type.Optional(Type.Enum(['asc', 'desc'], { description: 'default asc: the oldest first' }))

export const threadRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/threads',
    summary: 'Lists conversations of this folder, by default the newest first.',
    query: query({ ...listQuery, order: threadOrder, ...reach }),
    answers: { 200: PageOf(Thread) },
    errors: ['invalid_cursor'],
    handle: async ({ context, query: asked, url }) => pageAnswer(await context.runtime.threads.list(asked), url),
  }),
  route({
    method: 'POST',
    path: '/v1/threads',
    needs: 'submit',
    summary: 'Begins a conversation.',
    body: ThreadCreate,
    isKeyed: true,
    answers: { 201: Thread },
    errors: ['thread_exists'],
    handle: (request) => {
      const { threads } = request.context.runtime
      return answerOnce(
        request,
        async () => (await threads.create(request.body)).id,
        async (id) => begun(await threads.get(id)),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/v1/threads/{id}',
    summary: 'Shows a conversation.',
    params: byId(ThreadId),
    query: query(reach),
    hasTag: true,
    answers: { 200: Thread },
    errors: ['thread_not_found'],
    handle: async ({ context, params: { id }, query: far }) => ok(await context.runtime.threads.get(id, far)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/threads/{id}',
    needs: 'submit',
    summary: 'Changes the title or the metadata of a conversation.',
    params: byId(ThreadId),
    body: ThreadChange,
    answers: { 200: Thread },
    errors: ['thread_not_found', 'version_conflict'],
    async handle({ context: { runtime }, params: { id }, body, message }) {
      await assertMatch(message, () => runtime.threads.get(id))
      return ok(await runtime.threads.update(id, body))
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/threads/{id}',
    needs: 'keep',
    summary: 'Removes a conversation; its runs stay.',
    params: byId(ThreadId),
    answers: { 204: null },
    errors: ['thread_not_found', 'version_conflict'],
    async handle({ context: { runtime }, params: { id }, message }) {
      await assertMatch(message, () => runtime.threads.get(id))
      await runtime.threads.delete(id)
      return NO_CONTENT
    },
  }),
  route({
    method: 'GET',
    path: '/v1/threads/{id}/messages',
    summary: 'What was said in a conversation, by default the oldest first.',
    params: byId(ThreadId),
    query: query({ ...listQuery, order, ...reach }),
    answers: { 200: PageOf(ThreadMessage) },
    errors: ['thread_not_found', 'invalid_cursor'],
    handle: async ({ context, params: { id }, query: asked, url }) =>
      pageAnswer(await context.runtime.threads.listMessages(id, asked), url),
  }),
  route({
    method: 'POST',
    path: '/v1/threads/{id}/copy',
    needs: 'submit',
    summary: 'Begins a conversation that goes on from what was said in this one.',
    params: byId(ThreadId),
    body: ThreadCopy,
    isKeyed: true,
    answers: { 201: Thread },
    errors: ['thread_not_found'],
    handle: (request) => {
      const { threads } = request.context.runtime
      return answerOnce(
        request,
        async () => (await threads.copy(request.params.id, request.body)).id,
        async (id) => begun(await threads.get(id)),
      )
    },
  }),
]

const begun = (thread: Thread): Answer => ({
  status: 201,
  body: thread,
  headers: { Location: `/v1/threads/${thread.id}` },
})
