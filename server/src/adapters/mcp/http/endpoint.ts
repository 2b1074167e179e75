import type { McpHttpHandler, McpRequestContext, Server, ServerContext } from '@modelcontextprotocol/server'
import type { Answer } from '../../../http/answer.ts'
import type { RouteRequest } from '../../../routes/route.ts'
import { createMcpFactory } from '../factory.ts'
import { loadMcpPackage, type McpPackage } from '../load-package.ts'
import { Unanswered } from '../run/unanswered.ts'
import { hostOfRequest } from './host-of-request.ts'
import { Sessions } from './sessions.ts'
import { toAnswer } from './web-answer.ts'

/** Characters of what a client says of itself, which its session keeps. */
const MOST_INTRODUCTION = 65_536

type Headed = Pick<RouteRequest, 'message'>

/** The protocol over HTTP: each request of the current revision by itself, those of the revisions before it in sessions. */
export class McpEndpoint {
  readonly #mcp: McpPackage
  readonly #handler: McpHttpHandler
  /** Answers with a stream from the start, which stays open as long as a run takes. */
  readonly #streaming: McpHttpHandler
  readonly #sessions: Sessions

  /** @param factory makes the server that answers; default svc */
  constructor(mcp: McpPackage, factory: (context: McpRequestContext) => Server = createSvc(mcp)) {
    this.#mcp = mcp
    this.#handler = mcp.createMcpHandler(factory, { keepAliveMs: 0 })
    this.#streaming = mcp.createMcpHandler(factory, { keepAliveMs: 0, responseMode: 'sse' })
    this.#sessions = new Sessions(mcp, factory)
  }

  /** Answers one HTTP request of a client. */
  async handle(request: RouteRequest): Promise<Answer> {
    const { body, caller, context, holder, message, response } = request
    if (message.method === 'GET' || hasRequest(body)) context.streams.assertRoom(holder)
    // Each call of a batch waits for the end of the response.
    response.setMaxListeners(0)
    const web = toWebRequest(request)
    const authInfo = { token: '', clientId: caller.name, scopes: [...caller.scopes], extra: { request } }
    const options = message.method === 'POST' ? { authInfo, parsedBody: body } : { authInfo }
    const sessionId = sessionOf(request)
    const isOfSession = sessionId !== undefined || isInitialize(body)
    // One of the current revision may say anything of sessions.
    const isAlone = !isOfSession || (message.method === 'POST' && !(await this.#mcp.isLegacyRequest(web, body)))
    if (isAlone) {
      const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } }
      const handler = method === 'tools/call' && LONG.has(params?.name) ? this.#streaming : this.#handler
      return toAnswer(await handler.fetch(web, options), request, method === 'subscriptions/listen')
    }
    if (isInitialize(body) && JSON.stringify(body).length > MOST_INTRODUCTION)
      return refuse(400, -32_600, `initialize must have at most ${MOST_INTRODUCTION} characters`)
    const owner = `${holder} ${caller.name}`
    const session = sessionId === undefined ? await this.#sessions.begin(owner) : this.#sessions.find(sessionId, owner)
    if (session === undefined) return refuse(404, -32_001, 'there is no such session: begin a new one with initialize')
    const done = this.#sessions.use(session)
    response.on('close', done)
    return toAnswer(await session.transport.handleRequest(web, options), request, message.method === 'GET')
  }
}

function createSvc(mcp: McpPackage): (context: McpRequestContext) => Server {
  const unanswered = new Unanswered()
  return createMcpFactory(mcp, { hostOf: (context, era) => hostOfRequest(requestOf(context), era, unanswered) })
}

/** Tools that take as long as a run. */
const LONG: ReadonlySet<unknown> = new Set(['run', 'run_status'])

const endpoints = new WeakMap<object, Promise<McpEndpoint>>()

/** The one endpoint of a server. */
export function endpointOf({ context }: RouteRequest): Promise<McpEndpoint> {
  let endpoint = endpoints.get(context.streams)
  if (endpoint === undefined) {
    endpoint = loadMcpPackage().then((mcp) => new McpEndpoint(mcp))
    endpoints.set(context.streams, endpoint)
    endpoint.catch(() => endpoints.delete(context.streams))
  }
  return endpoint
}

const refuse = (status: number, code: number, message: string): Answer => ({
  status,
  body: { jsonrpc: '2.0', id: null, error: { code, message } },
})

const sessionOf = ({ message }: Headed): string | undefined => {
  const id = message.headers['mcp-session-id']
  return typeof id === 'string' ? id : undefined
}

/** Whether a body asks for something, and is no answer to what was asked of the client. */
const hasRequest = (body: unknown): boolean =>
  [body].flat().some((message) => {
    const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown }
    return id !== undefined && method !== undefined
  })

const isInitialize = (body: unknown): boolean =>
  [body].flat().some((message) => (message as { method?: unknown } | null | undefined)?.method === 'initialize')

/** The request that a message of the protocol came with. */
const requestOf = ({ http }: ServerContext): RouteRequest => http?.authInfo?.extra?.request as RouteRequest

const BOTH = 'application/json, text/event-stream'

/** What the package reads of a request: its method and some headers. */
function toWebRequest({ message }: Headed): Request {
  const { method = 'GET', headers: given } = message
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    if (typeof value === 'string' && (name.startsWith('mcp-') || READ.has(name))) headers.set(name, value)
  const { accept = '*/*' } = given
  if (method === 'POST' && accept.includes('*/*')) headers.set('accept', BOTH)
  return new Request('http://localhost/mcp', { method, headers })
}

const READ: ReadonlySet<string> = new Set(['accept', 'content-type', 'last-event-id'])
