import type { AdapterContext } from '@svc/core'
import type OpenAI from 'openai'
import type { Endpoint } from './endpoint.ts'
import { createTransport } from './transport.ts'
import type { LoadedClient } from './vendor-call.ts'

/** The general model that the types of the `openai` package name first. */
export const OPENAI_DEFAULT_MODEL: OpenAI.ChatModel = 'gpt-5.6-sol'

/** The official client for an endpoint; nothing that the process's environment says finds its way in by itself. */
export async function loadOpenai(
  endpoint: Endpoint,
  context: AdapterContext,
  timeoutMs: number,
): Promise<LoadedClient<OpenAI>> {
  const vendor = await import('openai')
  const client = new vendor.default({
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
    fetch: context.fetch ?? createTransport(context.env),
  })
  return { client, vendor }
}

/** OpenAI's models that reason before they answer and refuse a temperature. */
export function isReasoningModel(model: string): boolean {
  return /^(o\d|gpt-[5-9])/.test(model) && !model.includes('-chat')
}
