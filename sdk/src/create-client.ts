import type { ServiceClientOptions } from './client-options.ts'
import { ServiceClient } from './service-client.ts'

/** Creates a connected client; without options the provider comes from the environment. */
export async function createClient(options: ServiceClientOptions = {}): Promise<ServiceClient> {
  const client = new ServiceClient(options)
  await client.connect()
  return client
}
