import { ByName } from '@svc/core/schema'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { createOpenApi } from '../openapi/document.ts'
import { type Route, route } from './route.ts'

/** The route that describes all others, itself included. */
export function openApiRoute(others: readonly Route[]): Route {
  let document: unknown
  const self: Route = route({
    method: 'GET',
    path: '/openapi.json',
    auth: 'open',
    summary: 'This document.',
    hasTag: true,
    answers: { 200: ByName(Type.Unknown()) },
    handle() {
      document ??= createOpenApi([...others, self])
      return ok(document)
    },
  })
  return self
}
