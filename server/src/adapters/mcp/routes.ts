import * as Type from 'typebox'
import { EVENT_STREAM } from '../../http/request/accept.ts'
import { type Route, route } from '../../routes/route.ts'
import { endpointOf } from './endpoint.ts'

const PATH = '/mcp'
const MEDIA = ['application/json', EVENT_STREAM]
const Message = Type.Unknown({ description: 'a message of JSON-RPC 2.0, or of revisions before 2025-06-18 several' })

/** svc as a server of the Model Context Protocol. */
export const mcpRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: PATH,
    needs: 'submit',
    summary: 'The Model Context Protocol: a message of a client.',
    body: Message,
    media: MEDIA,
    answers: { 200: Message, 202: null },
    errors: [],
    handle: async (request) => (await endpointOf(request)).handle(request),
  }),
  route({
    method: 'GET',
    path: PATH,
    summary: 'The Model Context Protocol before 2026-07-28: the stream of a session.',
    media: MEDIA,
    answers: { 200: Type.String() },
    errors: [],
    handle: async (request) => (await endpointOf(request)).handle(request),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    needs: 'submit',
    summary: 'The Model Context Protocol before 2026-07-28: the end of a session.',
    answers: { 200: null },
    errors: [],
    handle: async (request) => (await endpointOf(request)).handle(request),
  }),
]
