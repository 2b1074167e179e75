import type { AdapterContext } from '@svc/core'
import type OpenAI from 'openai'
import type { Endpoint } from '../discovery/endpoint.ts'
import { createTransport } from '../wire/transport.ts'
import type { LoadedClient } from '../wire/vendor-call.ts'

/** The official client for an endpoint; nothing that the process's environment says finds its way in by itself. */
export async function loadOpenai(
  endpoint: Endpoint,
  context: AdapterContext,
  timeoutMs: number,
): Promise<LoadedClient<OpenAI>> {
  const vendor = await import('openai')
  const transport = context.fetch === undefined ? createTransport(context.env) : undefined
  const Client = transport === undefined ? vendor.default : overTransport(vendor.default, transport)
  const client = new Client({
    baseURL: endpoint.baseUrl,
    // The client insists on some key; without one the header is taken away again.
    apiKey: endpoint.apiKey ?? 'none',
    adminAPIKey: null,
    organization: endpoint.official ? (context.env.OPENAI_ORG_ID ?? null) : null,
    project: endpoint.official ? (context.env.OPENAI_PROJECT_ID ?? null) : null,
    defaultHeaders: endpoint.headers,
    defaultQuery: endpoint.query,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: context.fetch ?? transport,
  })
  return { client, vendor }
}

type BuildRequest = OpenAI['buildRequest']
type Built = Awaited<ReturnType<BuildRequest>>

/** What is the same in every request to one path. */
interface Fixed {
  readonly url: string
  readonly timeout: number
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

const NO_HEADERS = {}

/**
 * The official client over svc's transport. Two of its public methods do less: headers are made with the first request
 * to a path, because svc sends none of its own with a single call; and time-outs and the abort are the transport's alone.
 */
function overTransport(Client: typeof OpenAI, transport: typeof fetch): typeof OpenAI {
  return class extends Client {
    readonly #fixed = new Map<string, Fixed>()

    override async buildRequest(...[options, more]: Parameters<BuildRequest>): Promise<Built> {
      const { path, body, fetchOptions } = options
      const key = `${options.method} ${path}`
      let fixed = this.#fixed.get(key)
      if (fixed === undefined) {
        const { req, url, timeout } = await super.buildRequest(options, more)
        fixed = { url, timeout, method: options.method.toUpperCase(), headers: Object.fromEntries(req.headers) }
        this.#fixed.set(key, fixed)
      }
      const { url, timeout, method, headers } = fixed
      const sent = body && JSON.stringify(body)
      const request = { method, headers: NO_HEADERS, body: sent, ...fetchOptions, fixedHeaders: headers }
      return { req: request as unknown as Built['req'], url, timeout }
    }

    override fetchWithTimeout(...[url, request]: Parameters<OpenAI['fetchWithTimeout']>): Promise<Response> {
      return transport(url as string, request)
    }
  }
}

/** OpenAI's models that reason before they answer and refuse a temperature. */
export function isReasoningModel(model: string): boolean {
  return /^(o\d|gpt-[5-9])/.test(model) && !model.includes('-chat')
}
