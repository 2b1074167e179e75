import type { SvcConfig } from '../contracts/config.ts'

/** Hands a config back unchanged; it is there so that an editor knows every field. */
export function defineConfig(config: SvcConfig): SvcConfig {
  return config
}
