import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An MCP server behind a login, and who signs people in, on one port. */
export interface OAuthServer {
  readonly url: string
  /** Each request to sign in or for tokens: its path, and what it carried. */
  readonly asked: { path: string; params: URLSearchParams }[]
  /** Access tokens that the MCP side takes. */
  readonly valid: Set<string>
  /** Access tokens that were used. */
  readonly used: string[]
  /** No refresh token counts any more. */
  revoke(): void
  close(): Promise<void>
}

/** A person who signs in at an address: their browser goes where it is sent. */
export async function browse(address: string | URL, change = (back: URL): URL => back): Promise<Response> {
  const { headers } = await fetch(address, { redirect: 'manual' })
  return fetch(change(new URL(headers.get('location') ?? '')))
}

/** @param how.signsInAt who signs people in, where that is another one */
export async function startOAuthServer({ host = '127.0.0.1', signsInAt = '' } = {}): Promise<OAuthServer> {
  const codes = new Map<string, { challenge: string; redirect: string }>()
  const refreshes = new Set<string>()
  const asked: OAuthServer['asked'] = []
  const valid = new Set<string>()
  const used: string[] = []
  let origin = ''
  const issue = (): object => {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    valid.add(access_token)
    refreshes.add(refresh_token)
    return { access_token, refresh_token, token_type: 'Bearer', expires_in: 3_600 }
  }
  const json = (response: ServerResponse, value: object, status = 200): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin)
    const body = await textOf(request)
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return json(response, { resource: `${origin}/mcp`, authorization_servers: [signsInAt || origin] })
    if (pathname === '/.well-known/oauth-authorization-server')
      return json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none'],
      })
    if (pathname === '/register') return json(response, { client_id: 'svc-1', ...JSON.parse(body) }, 201)
    if (pathname === '/authorize') {
      asked.push({ path: pathname, params: searchParams })
      const code = randomUUID()
      const redirect = searchParams.get('redirect_uri') ?? ''
      codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirect })
      const back = new URL(redirect)
      back.searchParams.set('code', code)
      back.searchParams.set('state', searchParams.get('state') ?? '')
      return void response.writeHead(302, { location: back.href }).end()
    }
    if (pathname === '/token') {
      const params = new URLSearchParams(body)
      asked.push({ path: pathname, params })
      const code = codes.get(params.get('code') ?? '')
      codes.delete(params.get('code') ?? '')
      const verifier = createHash('sha256')
        .update(params.get('code_verifier') ?? '')
        .digest('base64url')
      const isCode = code !== undefined && code.challenge === verifier && code.redirect === params.get('redirect_uri')
      // Each counts once, so that one that was stolen is noticed.
      const isRefresh = refreshes.delete(params.get('refresh_token') ?? '')
      return isCode || isRefresh ? json(response, issue()) : json(response, { error: 'invalid_grant' }, 400)
    }
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    if (!valid.has(token)) {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    used.push(token)
    return answer(JSON.parse(body || '{}'), response, json)
  }
  const server = createServer((request, response) => void listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  origin = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    asked,
    valid,
    used,
    revoke: () => refreshes.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Asked {
  id?: number
  method?: string
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'locked', version: '1' },
  },
  'tools/list': { tools: [{ name: 'secret', description: 'Says it.', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'the secret' }] },
}

function answer(
  { id, method = '' }: Asked,
  response: ServerResponse,
  json: (to: ServerResponse, value: object, status?: number) => void,
) {
  if (id === undefined) return void response.writeHead(method === '' ? 405 : 202).end()
  const result = RESULTS[method]
  if (result !== undefined) return json(response, { jsonrpc: '2.0', id, result })
  return json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
