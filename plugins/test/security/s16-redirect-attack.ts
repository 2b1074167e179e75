/** Servers that send on to another origin whatever comes, and what arrives there. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SvcConfig, toSvcError } from '@svc/core'
import { createRuntime, toTool } from '../../src/index.ts'
import { createContext } from '../fixtures/tool-context.ts'

/** Names under which services want their keys, and one that nobody knows. */
export const KEY_HEADERS =
  'authorization proxy-authorization cookie x-api-key api-key apikey x-auth-token x-access-token private-token x-goog-api-key ocp-apim-subscription-key x-amz-security-token x-csrf-token session x-house-secret idempotency-key'.split(
    ' ',
  )
const CANARY = 'canary-0123456789'

/** What somebody got to see of a canary: by name of the header, `body`, and `url`. */
export type Seen = string[]

export interface Origins {
  /** Sends on to the foreign server, with the status that its path begins with. */
  home: string
  /** What the foreign server saw since it was last asked. */
  take(): Seen
  close(): void
}

async function listen(listener: RequestListener): Promise<{ port: number; close(): void }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export async function openOrigins(): Promise<Origins> {
  let seen: Seen = []
  let sendTo = ''
  const other = await listen((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      for (const [name, value] of Object.entries(request.headers)) if (String(value).includes(CANARY)) seen.push(name)
      if (body.includes(CANARY)) seen.push('body')
      if (request.method !== 'GET') seen.push(request.method ?? '')
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  const home = await listen((request, response) => {
    request.resume()
    response.writeHead(Number(request.url?.split('/')[1]), { location: sendTo }).end()
  })
  sendTo = `http://127.0.0.1:${other.port}`
  return {
    home: `http://127.0.0.1:${home.port}`,
    take: () => {
      const taken = seen
      seen = []
      return taken.sort()
    },
    close: () => {
      home.close()
      other.close()
    },
  }
}

/** A drop-in of the config calls an address with keys under every name, and the answer sends it elsewhere. */
export async function seenFromTool(
  origins: Origins,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  status: number,
): Promise<Seen> {
  const headers = Object.fromEntries(KEY_HEADERS.map((name) => [name, '{env:KEY}']))
  const http = {
    method,
    url: `${origins.home}/${status}`,
    hosts: ['127.0.0.1'],
    headers,
    ...(method !== 'GET' && { body: { key: CANARY } }),
  }
  const tool = toTool(
    'call',
    { description: 'Calls.', parameters: { type: 'object' }, risk: 'network', http },
    { env: { KEY: CANARY } },
  )
  await Promise.resolve(tool.run({}, createContext('/'))).catch((thrown: unknown) => toSvcError(thrown))
  return origins.take()
}

/** A provider of each format, over the fetch that a program handed in, is sent elsewhere by its server. */
export async function seenFromProviders(origins: Origins): Promise<Seen> {
  const shared = { baseUrl: `${origins.home}/307`, apiKeyEnv: 'KEY', maxRetries: 0, models: { m: {} } }
  const providers: NonNullable<SvcConfig['providers']> = {
    open: { type: 'openai', ...shared },
    responses: { type: 'openai-responses', ...shared },
    claude: { type: 'anthropic', ...shared },
    code: {
      type: 'openai',
      models: { m: {} },
      create: ({ id, fetch }) => ({
        id,
        maxRetries: 0,
        models: async () => [{ id: 'm' }],
        async *generate() {
          await fetch(`${origins.home}/307`, { method: 'POST', headers: { 'x-api-key': CANARY }, body: CANARY })
          yield { type: 'text', text: 'nothing' }
        },
      }),
    },
  }
  const runtime = await createRuntime(
    { providers, model: 'open/m' },
    { env: { KEY: CANARY, HOME: '/nowhere' }, fetch: globalThis.fetch },
  )
  for (const id of Object.keys(providers)) {
    const create = { topology: 'SINGLE', reflect: false, consensus: false } as const
    const run = await runtime.runs.create({ task: `Say ${CANARY}.`, model: `${id}/m`, ...create })
    await runtime.runs.wait(run.id)
  }
  await runtime.close()
  return origins.take()
}

export async function attack(): Promise<{ tool: Seen; putBody: Seen; providers: Seen }> {
  const origins = await openOrigins()
  const tool = await seenFromTool(origins, 'GET', 302)
  const putBody = await seenFromTool(origins, 'PUT', 308)
  const providers = await seenFromProviders(origins)
  origins.close()
  return { tool, putBody, providers }
}
