import type { Health, RuntimeInfo } from '@svc/core/client'
import type { HttpClient } from './http-client.ts'

/** What a server is made of. */
export async function describeServer(http: HttpClient): Promise<RuntimeInfo> {
  const [{ version }, { plugins, taps }, tools, { defaultModel, data: providers }, { policy, ...config }] =
    await Promise.all([
      health(http),
      http.json<Pick<RuntimeInfo, 'plugins' | 'taps'>>('GET', '/v1/plugins'),
      http.json<{ data: RuntimeInfo['tools'] }>('GET', '/v1/tools'),
      http.json<{ defaultModel: string; data: RuntimeInfo['providers'] }>('GET', '/v1/providers'),
      http.json<RuntimeInfo['config'] & Pick<RuntimeInfo, 'policy'>>('GET', '/v1/config'),
    ])
  return { version, defaultModel, providers, tools: tools.data, plugins, taps, config, policy }
}

/** Whether the server can work; one that cannot says so with 503. */
export const health = (http: HttpClient): Promise<Health> => http.json('GET', '/health', { accepts: [503] })
