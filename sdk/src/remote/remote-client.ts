import type { Runtime } from '@svc/core/client'
import { Client } from '../client.ts'
import { checkRemoteOptions, type RemoteOptions } from './remote-options.ts'
import { createRemoteRuntime } from './remote-runtime.ts'

/**
 * The client of a server, where svc itself cannot run.
 *
 * @example
 * const client = await createClient({ serverUrl: 'http://127.0.0.1:4000' })
 * console.log((await client.run('What is 6 times 7?')).summary)
 */
export class ServiceClient extends Client {
  readonly #options: RemoteOptions

  /** @throws ValidationError `validation_failed`, ConfigError `config_invalid` for options that cannot be */
  constructor(options: RemoteOptions) {
    checkRemoteOptions(options)
    super(options)
    this.#options = options
  }

  protected async start(): Promise<Runtime> {
    return createRemoteRuntime(this.#options)
  }
}

/** Creates a client that is ready for use. */
export async function createClient(options: RemoteOptions): Promise<ServiceClient> {
  const client = new ServiceClient(options)
  await client.connect()
  return client
}
