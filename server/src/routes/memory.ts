import { ConfigError, type MemoryApi, type RuntimeMemory } from '@svc/core'
import { Layer, MemoryChange, MemoryId, MemoryQuery, MemoryRecord, MemoryResult, MemoryWrite } from '@svc/core/schema'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { NO_CONTENT, ok } from '../http/answer.ts'
import { pageAnswer } from '../http/pages.ts'
import { answerOnce } from '../http/request/idempotency.ts'
import { type Route, type RouteRequest, route } from './route.ts'
import { byId, listQuery, PageOf, query } from './schemas.ts'

const BODY_BYTES = 256 * 1024

/** The memory of who asks. @throws ConfigError `config_invalid` where the memory keeps owners not apart */
function memoryOf({ context: { runtime }, owner }: Pick<RouteRequest, 'context' | 'owner'>): RuntimeMemory {
  const memory = owner === '' ? runtime.memory : runtime.memory.of?.(owner)
  if (memory !== undefined) return memory
  throw new ConfigError('config_invalid', 'this memory keeps keys not apart: name them shared, or use one key')
}

/** What was written by a process that ended before it could say so: it is among the newest. */
async function findSame(
  memory: MemoryApi,
  { content, layer = 'episodic' }: Static<typeof MemoryWrite>,
): Promise<{ id: string } | undefined> {
  const { data } = await memory.list({ limit: 100, layer })
  return data.find((record) => record.content === content && record.source.origin === 'user')
}

export const memoryRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/memory',
    needs: 'keep',
    summary: 'Remembers something.',
    body: MemoryWrite,
    bodyBytes: BODY_BYTES,
    isKeyed: true,
    answers: { 201: MemoryRecord },
    handle(request) {
      const { body } = request
      const memory = memoryOf(request)
      return answerOnce(
        request,
        async (isAgain) => ((isAgain && (await findSame(memory, body))) || (await memory.write(body))).id,
        async (id) => ({ status: 201, body: await memory.get(id), headers: { Location: `/v1/memory/${id}` } }),
      )
    },
  }),
  route({
    method: 'POST',
    path: '/v1/memory/query',
    needs: 'read',
    summary: 'Finds what is remembered.',
    body: MemoryQuery,
    bodyBytes: BODY_BYTES,
    answers: { 200: MemoryResult },
    handle: async (request) => ok(await memoryOf(request).query(request.body)),
  }),
  route({
    method: 'GET',
    path: '/v1/memory',
    summary: 'Lists what is remembered, the newest first.',
    query: query({ ...listQuery, layer: Type.Optional(Layer) }),
    answers: { 200: PageOf(MemoryRecord) },
    errors: ['invalid_cursor'],
    handle: async (request) => pageAnswer(await memoryOf(request).list(request.query), request.url),
  }),
  route({
    method: 'GET',
    path: '/v1/memory/{id}',
    summary: 'Shows one record.',
    params: byId(MemoryId),
    answers: { 200: MemoryRecord },
    errors: ['memory_not_found'],
    handle: async (request) => ok(await memoryOf(request).get(request.params.id)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/memory/{id}',
    needs: 'keep',
    summary: 'Changes one record; with a new text it is trusted, as what a person says.',
    params: byId(MemoryId),
    body: MemoryChange,
    bodyBytes: BODY_BYTES,
    answers: { 200: MemoryRecord },
    errors: ['memory_not_found', 'method_not_allowed'],
    handle: async (request) => ok(await memoryOf(request).update(request.params.id, request.body)),
  }),
  route({
    method: 'DELETE',
    path: '/v1/memory/{id}',
    needs: 'keep',
    summary: 'Forgets one record.',
    params: byId(MemoryId),
    answers: { 204: null },
    errors: ['memory_not_found'],
    async handle(request) {
      await memoryOf(request).delete(request.params.id)
      return NO_CONTENT
    },
  }),
]
