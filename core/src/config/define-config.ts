import type { SvcConfig } from '../contracts/config.ts'

/** Returns the config unchanged; its type lets an editor complete every field. */
export function defineConfig(config: SvcConfig): SvcConfig {
  return config
}
