import { ConflictError, type AgentInput as Input, type Runtime, toProfile, ValidationError } from '@svc/core'
import { AgentInput, AgentProfile, Slug } from '@svc/core/schema'
import { NO_CONTENT, ok } from '../http/answer.ts'
import { assertMatch } from '../http/entity-tag.ts'
import { cutPage, pageAnswer } from '../http/pages.ts'
import { answerOnce } from '../http/request/idempotency.ts'
import { type Route, route } from './route.ts'
import { byId, listQuery, PageOf, query } from './schemas.ts'

const AgentId = Slug('of a profile')
const { limit, after } = listQuery

export const agentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/agents',
    summary: 'Lists agent profiles by id.',
    query: query({ limit, after }),
    answers: { 200: PageOf(AgentProfile) },
    errors: ['invalid_cursor'],
    async handle({ context, query: asked, url }) {
      return pageAnswer(
        cutPage(await context.runtime.agents.list(), asked, ({ id }) => id),
        url,
      )
    },
  }),
  route({
    method: 'POST',
    path: '/v1/agents',
    needs: 'admin',
    summary: 'Saves a new agent profile.',
    body: AgentInput,
    isKeyed: true,
    answers: { 201: AgentProfile },
    errors: ['agent_exists'],
    handle(request) {
      const { context, body } = request
      const { agents } = context.runtime
      return answerOnce(
        request,
        async (isAgain) => {
          if (!isAgain) await assertNew(agents, body)
          return (await agents.put(body)).id
        },
        async (id) => ({ status: 201, body: await agents.get(id), headers: { Location: `/v1/agents/${id}` } }),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/v1/agents/{id}',
    summary: 'Shows an agent profile.',
    params: byId(AgentId),
    hasTag: true,
    answers: { 200: AgentProfile },
    errors: ['agent_not_found'],
    handle: async ({ context, params: { id } }) => ok(await context.runtime.agents.get(id)),
  }),
  route({
    method: 'PUT',
    path: '/v1/agents/{id}',
    needs: 'admin',
    summary: 'Saves an agent profile under an id, new or in place of the one there.',
    params: byId(AgentId),
    body: AgentInput,
    answers: { 200: AgentProfile },
    errors: ['agent_not_found', 'version_conflict'],
    async handle({ context: { runtime }, params: { id }, body, message }) {
      if (body.id !== undefined && body.id !== id) throw otherId(body.id, id)
      await assertMatch(message, () => runtime.agents.get(id))
      return ok(await runtime.agents.put({ ...body, id }))
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/agents/{id}',
    needs: 'admin',
    summary: 'Removes an agent profile.',
    params: byId(AgentId),
    answers: { 204: null },
    errors: ['agent_not_found', 'version_conflict'],
    async handle({ context: { runtime }, params: { id }, message }) {
      await assertMatch(message, () => runtime.agents.get(id))
      await runtime.agents.delete(id)
      return NO_CONTENT
    },
  }),
]

/** @throws ConflictError `agent_exists` */
async function assertNew(agents: Runtime['agents'], input: Input): Promise<void> {
  const { id } = toProfile(input, Date.now())
  if ((await agents.list()).every((known) => known.id !== id)) return
  throw new ConflictError('agent_exists', `there is an agent "${id}" already: PUT /v1/agents/${id} replaces it`)
}

const otherId = (given: string, id: string): ValidationError =>
  new ValidationError('validation_failed', `agent: /id says "${given}", the address "${id}"`, {
    errors: [{ path: '/id', message: `must be "${id}", or left out` }],
  })
