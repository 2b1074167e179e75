import * as Type from 'typebox'
import type { ProblemShape } from '../../../http/problem.ts'
import { EVENT_STREAM } from '../../../http/request/accept.ts'
import { type Route, type RouteRequest, route } from '../../../routes/route.ts'
import { endpointOf } from './endpoint.ts'

const MEDIA = ['application/json', EVENT_STREAM]
const Message = Type.Unknown({ description: 'a message of JSON-RPC 2.0, or of revisions before 2025-06-18 several' })

/** As JSON-RPC has it: of which message is not known. */
const problem: ProblemShape = ({ code, detail, status, requestId, retryable, errors }) => ({
  body: {
    jsonrpc: '2.0',
    id: null,
    error: {
      code: CODES[code] ?? (status >= 500 ? -32_603 : -32_600),
      message: detail,
      data: { code, requestId, retryable, ...(errors !== undefined && { errors }) },
    },
  },
})

/** Of what is no JSON at all. */
const CODES: Readonly<Record<string, number>> = { invalid_json: -32_700, json_too_deep: -32_700 }

const common = {
  path: '/mcp',
  adapter: 'mcp',
  problem,
  handle: async (request: RouteRequest) => (await endpointOf(request)).handle(request),
} as const

/** svc as a server of the Model Context Protocol. */
export const mcpRoutes: readonly Route[] = [
  route({
    ...common,
    method: 'POST',
    needs: 'submit',
    summary: 'The Model Context Protocol: a message of a client.',
    body: Message,
    isConversation: true,
    media: MEDIA,
    answers: { 200: Message, 202: null },
    errors: ['too_many_streams', 'shutting_down'],
  }),
  route({
    ...common,
    method: 'GET',
    summary: 'The Model Context Protocol before 2026-07-28: the stream of a session.',
    media: MEDIA,
    answers: { 200: Type.String() },
    errors: ['too_many_streams'],
  }),
  route({
    ...common,
    method: 'DELETE',
    needs: 'submit',
    summary: 'The Model Context Protocol before 2026-07-28: the end of a session.',
    answers: { 200: null },
    errors: [],
  }),
]
