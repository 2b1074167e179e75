import * as Type from 'typebox'
import { ok } from '../../http/answer.ts'
import { type Route, route } from '../../routes/route.ts'
import { baseOf } from './base-of.ts'
import { restRoutes } from './bindings/rest.ts'
import { rpcRoute } from './bindings/rpc.ts'
import { toAgentCard } from './card.ts'

const cardRoute = route({
  method: 'GET',
  path: '/.well-known/agent-card.json',
  auth: 'open',
  adapter: 'a2a',
  summary: 'The A2A agent card of this server.',
  hasTag: true,
  answers: { 200: Type.Object({}) },
  handle: async (request) =>
    ok(toAgentCard(baseOf(request), request.context.hasKeys), { 'Cache-Control': 'private, max-age=60' }),
})

/** A2A 1.0: the agent card, JSON-RPC and HTTP+JSON. */
export const a2aRoutes: readonly Route[] = [cardRoute, rpcRoute, ...restRoutes]
