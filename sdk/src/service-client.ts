import type { Runtime } from '@svc/core'
import { Client } from './client.ts'
import { checkOptions, type ServiceClientOptions } from './client-options.ts'
import { createRemoteRuntime } from './remote/remote-runtime.ts'

/**
 * svc inside a program: a runtime in this process or, with `serverUrl`, one behind a server.
 *
 * @example
 * const client = new ServiceClient({ tokenBudget: 32_000 })
 * await client.connect()
 * const result = await client.run('Explain the architecture of this repository')
 * console.log(result.status, result.summary)
 * await client.disconnect()
 */
export class ServiceClient extends Client {
  readonly #options: ServiceClientOptions

  /** @throws ValidationError `validation_failed`, ConfigError `config_invalid` for options that cannot be */
  constructor(options: ServiceClientOptions = {}) {
    checkOptions(options)
    super(options)
    this.#options = options
  }

  protected async start(): Promise<Runtime> {
    const { serverUrl } = this.#options
    if (serverUrl !== undefined) return createRemoteRuntime({ ...this.#options, serverUrl })
    const { startEmbedded } = await import('./start-embedded.ts')
    return startEmbedded(this.#options)
  }
}
