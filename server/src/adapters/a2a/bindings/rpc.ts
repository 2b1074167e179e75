import { ERROR_CODES, parse } from '@svc/core'
import * as Type from 'typebox'
import { type Answer, ok } from '../../../http/answer.ts'
import { toKnownError } from '../../../http/problem.ts'
import { EVENT_STREAM } from '../../../http/request/accept.ts'
import { type RouteRequest, route } from '../../../routes/route.ts'
import { START_ERRORS } from '../../../runs/start-run.ts'
import { refusal, refuseExtendedCard, refusePush, toA2aProblem, toRpcError } from '../errors.ts'
import { ListQuery, listTasks } from '../list-tasks.ts'
import { SendRequest } from '../message.ts'
import { cancelTask, type Framing, getTask, send, sendStreaming, subscribe } from '../operations.ts'
import { fromProtoJson } from './from-proto-json.ts'
import { assertVersion } from './version.ts'

type Id = string | number | null

const TaskQuery = Type.Object({
  id: Type.String(),
  historyLength: Type.Optional(Type.Integer({ minimum: 0 })),
})

type Method = (request: RouteRequest, params: unknown, framing: Framing) => Promise<Answer>

const answered = (result: unknown, framing: Framing, headers?: Record<string, string>): Answer =>
  ok(framing.message(result as never), headers)

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'SendMessage',
    async (request, params, framing) => {
      const { result, headers } = await send(request, parse(SendRequest, params, 'params'))
      return answered(result, framing, headers)
    },
  ],
  [
    'SendStreamingMessage',
    async (request, params, framing) => sendStreaming(request, parse(SendRequest, params, 'params'), framing),
  ],
  [
    'GetTask',
    async (request, params, framing) => {
      const { id, historyLength } = parse(TaskQuery, params, 'params')
      return answered(await getTask(request, id, historyLength), framing)
    },
  ],
  [
    'ListTasks',
    async (request, params, framing) => answered(await listTasks(request, parse(ListQuery, params, 'params')), framing),
  ],
  [
    'CancelTask',
    async (request, params, framing) =>
      answered(await cancelTask(request, parse(TaskQuery, params, 'params').id), framing),
  ],
  [
    'SubscribeToTask',
    async (request, params, framing) => subscribe(request, parse(TaskQuery, params, 'params').id, framing),
  ],
  ...['Create', 'Get', 'List', 'Delete'].map((verb): [string, Method] => [
    `${verb}TaskPushNotificationConfig${verb === 'List' ? 's' : ''}`,
    refusePush,
  ]),
  ['GetExtendedAgentCard', refuseExtendedCard],
])

const framingOf = (id: Id): Framing => ({
  message: (result) => ({ jsonrpc: '2.0', id, result }),
  problem: (problem) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, error: toRpcError(problem) })}\n\n`,
})

/** Codes of refusals that HTTP has a status and headers for; all else is answered with 200, as JSON-RPC has it. */
const isOfHttp = (status: number): boolean => status === 401 || status === 403 || status === 429 || status >= 500

/** A2A 1.0 over JSON-RPC. */
export const rpcRoute = route({
  method: 'POST',
  path: '/a2a',
  needs: 'submit',
  adapter: 'a2a',
  summary: 'A2A 1.0 over JSON-RPC: messages begin tasks, and answer what tasks ask.',
  query: Type.Object({ 'A2A-Version': Type.Optional(Type.String()) }),
  body: Type.Unknown(),
  isConversation: true,
  isKeyed: true,
  media: ['application/json', EVENT_STREAM],
  answers: { 200: Type.Object({}) },
  errors: START_ERRORS,
  problem: (problem) => ({ body: { jsonrpc: '2.0', id: null, error: toRpcError(problem) } }),
  async handle(request) {
    const { jsonrpc, method, params = {}, id = null } = request.body as Record<string, unknown>
    try {
      if (!isId(id) || jsonrpc !== '2.0' || typeof method !== 'string')
        throw refusal('INVALID_REQUEST', 'needs "jsonrpc": "2.0", a method, and an id that is a text or a whole number')
      assertVersion(request)
      const call = METHODS.get(method)
      if (call === undefined) {
        const known = [...METHODS.keys()].join(', ')
        throw refusal('METHOD_NOT_FOUND', `there is no method "${method.slice(0, 100)}", only ${known}`)
      }
      return await call(request, fromProtoJson(params), framingOf(id))
    } catch (thrown) {
      const error = toKnownError(thrown)
      if (isOfHttp(ERROR_CODES[error.code].status)) throw error
      const problem = toRpcError(toA2aProblem(error, request.response))
      return ok({ jsonrpc: '2.0', id: isId(id) ? id : null, error: problem })
    }
  },
})

const isId = (id: unknown): id is Id => id === null || typeof id === 'string' || Number.isInteger(id)
