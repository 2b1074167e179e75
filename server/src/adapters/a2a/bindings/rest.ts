import { ERROR_CODES, parse } from '@svc/core'
import type { TObject, TSchema } from 'typebox'
import * as Type from 'typebox'
import type { Answer } from '../../../http/answer.ts'
import { toKnownError } from '../../../http/problem.ts'
import { EVENT_STREAM } from '../../../http/request/accept.ts'
import { type Method, type Route, type RouteRequest, route } from '../../../routes/route.ts'
import { START_ERRORS } from '../../../runs/start-run.ts'
import { refuseExtendedCard, refusePush, toA2aProblem, toRestError } from '../errors.ts'
import { ListQuery, listTasks } from '../list-tasks.ts'
import { SendRequest } from '../message.ts'
import { cancelTask, type Framing, getTask, send, sendStreaming, subscribe } from '../operations.ts'
import { fromProtoJson } from './from-proto-json.ts'
import { assertVersion } from './version.ts'

const MEDIA = ['application/json', 'application/a2a+json']

const framing: Framing = {
  message: (response) => response,
  problem: (problem) => `event: error\ndata: ${JSON.stringify(toRestError(problem))}\n\n`,
}

const VERSION = { 'A2A-Version': Type.Optional(Type.String()), tenant: Type.Optional(Type.String()) }

/** JSON under the media type that the client asks for; the protocol's own where it names it. */
function answer({ message }: RouteRequest, status: number, body: unknown, headers?: Record<string, string>): Answer {
  const isOwn = message.headers.accept?.includes('application/a2a+json') === true
  const text = JSON.stringify(body)
  return {
    status,
    ...(headers && { headers }),
    write(response) {
      const type = isOwn ? 'application/a2a+json' : 'application/json; charset=utf-8'
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
      response.end(message.method === 'HEAD' ? '' : text)
    },
  }
}

interface Operation {
  method: Method
  path: string
  summary: string
  query?: Record<string, TSchema>
  body?: TSchema
  isStream?: boolean
  /** Begins something. */
  isNew?: boolean
  handle(request: RouteRequest, params: { id: string; [name: string]: unknown }): Promise<Answer>
}

/** One operation as a route: what it throws is answered as the protocol has it. */
function operation({ isStream = false, isNew = false, query, handle, ...rest }: Operation): Route {
  return route({
    ...rest,
    path: `/a2a/v1${rest.path}`,
    needs: rest.method === 'GET' ? 'read' : 'submit',
    adapter: 'a2a',
    params: Type.Object(
      rest.path.includes('{configId}')
        ? { id: Type.String(), configId: Type.String() }
        : rest.path.includes('{id}')
          ? { id: Type.String() }
          : {},
    ) as TObject,
    query: Type.Object({ ...VERSION, ...query }),
    ...(isNew && { isConversation: true, isKeyed: true }),
    media: isStream ? [EVENT_STREAM] : MEDIA,
    answers: { 200: Type.Object({}) },
    errors: isNew ? START_ERRORS : [],
    problem: (problem) => ({ body: toRestError(problem) }),
    async handle(request) {
      try {
        assertVersion(request)
        return await handle(request, request.params as { id: string })
      } catch (thrown) {
        const error = toKnownError(thrown)
        const problem = toA2aProblem(error, request.response)
        // The frame knows nothing of the protocol's own reasons.
        if (problem.reason === undefined) throw error
        return answer(request, ERROR_CODES[error.code].status, toRestError(problem))
      }
    },
  })
}

const PUSH = '/tasks/{id}/pushNotificationConfigs'
/** Checked once its names are those of the schema. */
const Any = Type.Object({})
const answered = async (request: RouteRequest, body: Promise<unknown>): Promise<Answer> =>
  answer(request, 200, await body)

const subscribing = (method: Method): Operation => ({
  method,
  path: '/tasks/{id}:subscribe',
  summary: 'A2A: streams what becomes of a task.',
  isStream: true,
  ...(method === 'POST' && { body: Any }),
  handle: (request, { id }) => subscribe(request, id, framing),
})

/** A2A 1.0 over HTTP and JSON. Paths with a verb stand before those of which they could be an id. */
export const restRoutes: readonly Route[] = [
  operation({
    method: 'POST',
    path: '/message:send',
    summary: 'A2A: sends a message, and answers its task once it has ended or asks something.',
    body: Any,
    isNew: true,
    async handle(request) {
      const { result, headers } = await send(request, parse(SendRequest, fromProtoJson(request.body), 'body'))
      return answer(request, 200, result, headers)
    },
  }),
  operation({
    method: 'POST',
    path: '/message:stream',
    summary: 'A2A: sends a message, and streams what becomes of its task.',
    body: Any,
    isNew: true,
    isStream: true,
    handle: (request) => sendStreaming(request, parse(SendRequest, fromProtoJson(request.body), 'body'), framing),
  }),
  operation({
    method: 'POST',
    path: '/tasks/{id}:cancel',
    summary: 'A2A: ends a task.',
    body: Any,
    handle: (request, { id }) => answered(request, cancelTask(request, id)),
  }),
  operation(subscribing('GET')),
  operation(subscribing('POST')),
  ...(['POST', 'GET'] as const).map((method) =>
    operation({
      method,
      path: PUSH,
      summary: 'A2A: push notifications, which are not sent.',
      ...(method === 'POST' && { body: Any }),
      handle: refusePush,
    }),
  ),
  ...(['GET', 'DELETE'] as const).map((method) =>
    operation({
      method,
      path: `${PUSH}/{configId}`,
      summary: 'A2A: push notifications, which are not sent.',
      handle: refusePush,
    }),
  ),
  operation({
    method: 'GET',
    path: '/tasks',
    summary: 'A2A: lists tasks, the newest first.',
    query: ListQuery.properties,
    handle: (request) => answered(request, listTasks(request, request.query as never)),
  }),
  operation({
    method: 'GET',
    path: '/tasks/{id}',
    summary: 'A2A: shows a task.',
    query: { historyLength: Type.Optional(Type.Integer({ minimum: 0 })) },
    handle: (request, { id }) =>
      answered(request, getTask(request, id, (request.query as { historyLength?: number }).historyLength)),
  }),
  operation({
    method: 'GET',
    path: '/extendedAgentCard',
    summary: 'A2A: there is no extended agent card.',
    handle: refuseExtendedCard,
  }),
]
