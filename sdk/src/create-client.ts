import type { ServiceClientOptions } from './client-options.ts'
import { ServiceClient } from './service-client.ts'

/** A client that is connected already; without options the provider comes from the environment. */
export async function createClient(options: ServiceClientOptions = {}): Promise<ServiceClient> {
  const client = new ServiceClient(options)
  await client.connect()
  return client
}
