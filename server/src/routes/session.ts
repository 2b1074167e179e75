import { AuthError } from '@svc/core'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { type Route, route } from './route.ts'

const Session = Type.Object({
  name: Type.String({
    description:
      'of the key in the keys file, or `oidc:` and that of who has signed in; `owner`, `local` or `anonymous` where there is none',
  }),
  scopes: Type.Array(Type.Enum(['submit', 'approve', 'admin']), {
    description: 'none: somebody who has signed in and has no role',
  }),
})

export const sessionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/session',
    needs: 'self',
    summary: 'Who asks, and what they may do.',
    answers: { 200: Session },
    handle: ({ caller: { name, scopes } }) => ok({ name, scopes }),
  }),
  route({
    method: 'POST',
    path: '/v1/session',
    auth: 'open',
    summary: 'Exchanges the code of a link to the console for the key of this machine, once.',
    body: Type.Object({ code: Type.String({ maxLength: 100 }) }, { additionalProperties: false }),
    answers: { 200: Type.Object({ key: Type.String() }) },
    errors: ['unauthenticated'],
    handle({ context, body: { code } }) {
      const key = context.exchange(code)
      if (key !== undefined) return ok({ key })
      throw new AuthError(
        'unauthenticated',
        'the code of this link was used, or is too old: svc serve prints a new one when it starts',
      )
    },
  }),
]
