import type { Inspection } from '../stages/inspection.ts'
import type { Health } from './health.ts'
import type { RuntimeInfo } from './runtime-info.ts'

/** What the runtime is, and how it is. */
export interface RuntimeStatus {
  inspect(): Promise<Inspection>
  describe(): Promise<RuntimeInfo>
  health(): Promise<Health>
}
