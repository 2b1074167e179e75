import { AuthError, NotFoundError, parse, SvcError } from '@svc/core'
import { PerName, Semaphore } from '@svc/core/support'
import type { Express, Request, Response } from 'express'
import type { TSchema } from 'typebox'
import { ANONYMOUS, assertMay, type Identity } from '../keys/caller.ts'
import { challengeOf } from '../keys/local-key.ts'
import { runtimeOf } from '../keys/runtime-of.ts'
import { assertTakesNewWork } from '../readiness.ts'
import type { Route, RouteRequest } from '../routes/route.ts'
import type { ServerContext } from '../server-context.ts'
import { inTurn } from './in-turn.ts'
import type { ProblemShape } from './problem.ts'
import { negotiate } from './request/accept.ts'
import { type AddressRules, checkAddress, originHeaders, preflightHeaders } from './request/addresses.ts'
import { authenticate, type Credentials, hasSentKey, isOpenToAll, NOBODY } from './request/authenticate.ts'
import { type BodyReader, createBodyReader } from './request/body.ts'
import type { RateLimit } from './request/rate-limit.ts'
import { readQuery } from './request/read-query.ts'
import { stateOf } from './request/request-state.ts'
import { whereFrom } from './request/where-from.ts'
import { sendAnswer } from './send.ts'

export interface DispatchOptions extends Credentials {
  context: ServerContext
  localKeyFile: string | undefined
  rateLimit: RateLimit
  /** How it is said that there is no such route. */
  shapeOfMissing: ProblemShape
  /** Routes of protocols that are switched off. */
  switchedOff: readonly Route[]
  addresses: AddressRules
  /** Called for a request without a good key, with where it came from. */
  onAuthFailure: (address: string) => void
}

/** Puts every route of the table, and the answers to everything else, into an express application. */
export function dispatch(app: Express, routes: readonly Route[], options: DispatchOptions): void {
  const paths = [...new Set(routes.map(({ path }) => path))]
  for (const path of paths) {
    const here = routes.filter((route) => route.path === path)
    const handlers = new Map(here.map((route) => [route.method as string, createHandler(route, options)]))
    const methods = [...handlers.keys(), ...(handlers.has('GET') ? ['HEAD'] : [])]
    app.all(toPattern(path), async (request: Request, response: Response) => {
      const state = stateOf(response)
      state.route = path
      const { id } = request.params
      if (path.startsWith('/v1/runs/{id}') && typeof id === 'string' && RUN_ID.test(id)) state.run = id
      const shape = here.find(({ problem }) => problem !== undefined)?.problem
      if (shape !== undefined) state.shape = shape
      const handle = handlers.get(request.method === 'HEAD' ? 'GET' : request.method)
      if (handle !== undefined) return handle(request, response)
      assertAddress(
        request,
        response,
        options,
        here.some(({ auth }) => auth === 'open'),
        here.some(({ isProbe }) => isProbe),
      )
      if (request.method === 'OPTIONS' && response.hasHeader('Access-Control-Allow-Origin')) {
        response
          .writeHead(204, preflightHeaders(methods, String(request.headers['access-control-request-headers'] ?? '')))
          .end()
        return
      }
      response.setHeader('Allow', methods.join(', '))
      throw new NotFoundError('method_not_allowed', `${path} takes ${methods.join(', ')}, not ${request.method}`)
    })
  }
  app.use((request: Request, response: Response) => {
    assertAddress(request, response, options, true)
    stateOf(response).shape = options.shapeOfMissing
    const cause = whyMissing(request.path, paths, options.switchedOff)
    throw new NotFoundError(
      'route_not_found',
      `there is no route ${request.method} ${request.path.slice(0, 200)}${cause}`,
    )
  })
}

/** What most likely went wrong: clients add the rest of a path to a base URL, and each protocol has another. */
function whyMissing(asked: string, paths: readonly string[], switchedOff: readonly Route[]): string {
  const off = switchedOff.find(({ path }) => path === asked)?.adapter
  if (off !== undefined) return `: server.adapters.${off} of the config is false`
  const isTwice = asked.startsWith('/v1/v1/')
  const meant = isTwice ? asked.slice('/v1'.length) : `/v1${asked}`
  if (!paths.includes(meant)) return ''
  return `, but ${meant}: the base URL of the client has ${isTwice ? 'one /v1 too many' : 'to end in /v1'}`
}

/** A path as express reads it. What follows a colon in ours, as in `message:send`, is no parameter. */
const toPattern = (path: string): string => path.replaceAll(':', '\\:').replaceAll(/\{(\w+)\}/g, ':$1')

function assertAddress(
  request: Request,
  response: Response,
  { addresses }: DispatchOptions,
  isOpen: boolean,
  isProbe = false,
): void {
  const origin = checkAddress(request, addresses, isOpen, isProbe)
  if (origin === undefined) return
  for (const [name, value] of Object.entries(originHeaders(origin))) response.setHeader(name, value)
}

/** Checks a request from its address to its fields, hands it to the route, and sends the answer. */
function createHandler(
  route: Route,
  options: DispatchOptions,
): (request: Request, response: Response) => Promise<void> {
  const { context } = options
  const { bodyBytes, conversationBytes, jsonDepth } = context.limits
  const most = route.isConversation ? conversationBytes : Math.min(route.bodyBytes ?? Infinity, bodyBytes)
  const read = createBodyReader(most, jsonDepth)
  /** A few long ones are read at once: each is many times its size while it is. */
  const readBody = (request: Request, holder: string): Promise<unknown> =>
    most > bodyBytes && !(Number(request.headers['content-length']) <= bodyBytes)
      ? inTurn(request.res as Response, () => read(request), turns.of(holder))
      : read(request)
  const name = `${route.method} ${route.path}`
  // What answers everybody acts for nobody; a runtime for each asker would be a tenth of what a probe costs.
  const isOpen = route.auth === 'open'
  return async (request, response) => {
    assertAddress(request, response, options, isOpen, route.isProbe)
    const identity = await admit(route, request, response, options)
    if (route.isNewWork) assertTakesNewWork(context)
    negotiate(request, [...(route.media ?? ['application/json']), 'application/problem+json'])
    const asked: RouteRequest = {
      context: isOpen ? context : { ...context, runtime: runtimeOf(context.runtime, identity, whereFrom(request)) },
      ...identity,
      name,
      url: request.url,
      message: request,
      response,
      params: check(route.params, request.params, 'path'),
      query: check(route.query ?? NOTHING, readQuery(route.query, request.url), 'query'),
      body: await bodyOf(route, request, (message) => readBody(message, identity.holder)),
    }
    const answer = await (route.isLarge ? inTurn(response, async () => route.handle(asked)) : route.handle(asked))
    await sendAnswer(route, answer, request, response)
  }
}

/** Who asks, counted against what is allowed in a minute. */
async function admit(route: Route, request: Request, response: Response, options: DispatchOptions): Promise<Identity> {
  const { keys, localKeys, localKeyFile, rateLimit, onAuthFailure } = options
  const address = `address ${request.socket.remoteAddress ?? ''}`
  const count = (caller: string): void => {
    if (!route.isUnlimited) rateLimit.take(caller, response)
  }
  if (route.auth === 'open') {
    count(address)
    return { caller: ANONYMOUS, holder: address, owner: '', reach: {} }
  }
  const state = stateOf(response)
  if (keys().length === 0) state.challenge = () => challengeOf(localKeys()[0], localKeyFile, request)
  try {
    const identity = await identityOf(route, request, options)
    count(identity.holder)
    state.caller = identity.caller.name
    assertMay(identity.caller, route.needs, `${route.method} ${route.path}`)
    return identity
  } catch (thrown) {
    // Who sent none where none is set has tried none: clients do so before they know the key of this machine.
    if (thrown instanceof AuthError && state.caller === undefined) {
      // So do pages of people who are about to sign in.
      if (options.signIn === undefined || hasSentKey(request)) onAuthFailure(request.socket.remoteAddress ?? 'unknown')
      count(address)
    } else if (SvcError.isInstance(thrown) && thrown.code === 'sign_in_unavailable') count(address)
    throw thrown
  }
}

/** Clients of other protocols cannot ask without a key: where none is set, one that is not good is none. */
async function identityOf({ adapter, problem }: Route, request: Request, credentials: Credentials): Promise<Identity> {
  try {
    return await authenticate(request, credentials)
  } catch (thrown) {
    if ((adapter ?? problem) === undefined || !isOpenToAll(credentials) || !(thrown instanceof AuthError)) throw thrown
    return NOBODY
  }
}

/** What somebody else calls a run is not logged. */
const RUN_ID = /^run_[0-9A-Z]{26}$/

const MOST_CONVERSATIONS = 4
/** Of each key by itself: who sends bodies slowly keeps nobody else waiting. */
const turns = new PerName(() => new Semaphore(MOST_CONVERSATIONS))

const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as unknown as TSchema

async function bodyOf(route: Route, request: Request, readBody: BodyReader): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE') return undefined
  const body = await readBody(request)
  return check(route.body ?? NOTHING, body ?? {}, 'body')
}

const check = (schema: TSchema | undefined, value: unknown, what: string): unknown =>
  schema === undefined ? value : parse(schema, value, what)
