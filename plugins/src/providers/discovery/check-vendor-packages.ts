import type { ConfigError } from '@svc/core'
import { loadAnthropicPackage, loadOpenaiPackage } from './vendor-package.ts'

/**
 * What is wrong with the vendors' packages here, by loading them; empty where each can be used.
 *
 * @returns the errors with which the first call in a package's wire format would end
 */
export async function checkVendorPackages(): Promise<ConfigError[]> {
  const loads = await Promise.allSettled([loadOpenaiPackage(), loadAnthropicPackage()])
  return loads.flatMap((load) => (load.status === 'rejected' ? [load.reason as ConfigError] : []))
}
