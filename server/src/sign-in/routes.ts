import { type ErrorCode, type Runtime, toSvcError } from '@svc/core'
import * as Type from 'typebox'
import { type Answer, ok } from '../http/answer.ts'
import { ANY } from '../http/request/accept.ts'
import { stateOf } from '../http/request/request-state.ts'
import { whereFrom } from '../http/request/where-from.ts'
import { type Route, type RouteRequest, route } from '../routes/route.ts'
import type { SignIn } from './sign-in.ts'

/** What the console says of a sign-in that failed, by the code of why. What exactly was wrong stands in the log of the server. */
const REASONS: Partial<Record<ErrorCode, string>> = {
  policy_denied: 'refused',
  sign_in_unavailable: 'unavailable',
}

/** What browsers ask for when somebody signs in; programs send tokens, and none of these. */
export function signInRoutes(signIn: SignIn, runtime: Runtime): readonly Route[] {
  const toPage = async ({ response }: RouteRequest, act: () => Promise<Redirect>): Promise<Answer> => {
    let redirect: Redirect
    try {
      redirect = await act()
    } catch (thrown) {
      const error = toSvcError(thrown)
      Object.assign(stateOf(response), { code: error.code, failure: error.message })
      const reason = REASONS[error.code] ?? 'failed'
      redirect = { cookies: [signIn.forget()], location: `/console/?sign-in=${reason}` }
    }
    response.setHeader('Set-Cookie', redirect.cookies)
    response.setHeader('Referrer-Policy', 'no-referrer')
    return { status: 302, headers: { Location: redirect.location } }
  }
  const common = { auth: 'open', media: [ANY], answers: { 302: null } } as const
  return [
    route({
      method: 'GET',
      path: '/auth/options',
      auth: 'open',
      summary: 'Where people sign in.',
      answers: { 200: Type.Object({ issuer: Type.String() }) },
      handle: () => ok({ issuer: signIn.issuer }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/auth/sign-in',
      summary: 'Leads to the provider.',
      query: Type.Object(
        { to: Type.Optional(Type.String()), moved: Type.Optional(Type.String()) },
        { additionalProperties: false },
      ),
      handle: (request) => toPage(request, () => signIn.begin(request.message, request.query)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/auth/callback',
      summary: 'Takes what the provider says of somebody, and leads back to the console.',
      query: Type.Object({}, { additionalProperties: true }),
      handle: (request) =>
        toPage(request, async () => {
          const { person, ...ended } = await signIn.finish(request.message)
          stateOf(request.response).caller = person.name
          const caller = { who: person.name, from: whereFrom(request.message) }
          runtime.as?.(caller).audit?.('person.signed_in', { roles: person.roles })
          return ended
        }),
    }),
    route({
      method: 'POST',
      path: '/auth/sign-out',
      auth: 'open',
      summary: 'Ends the session of a browser.',
      answers: { 204: null },
      async handle({ message, response }) {
        response.setHeader('Set-Cookie', await signIn.end(message))
        return { status: 204 }
      },
    }),
  ]
}

interface Redirect {
  readonly cookies: readonly string[]
  readonly location: string
}
