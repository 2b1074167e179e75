import type { Warning } from '../warning.ts'

/** Whether the runtime can work. */
export interface Health {
  status: 'ok' | 'degraded'
  version: string
  uptimeSeconds: number
  provider: string
  warnings: Warning[]
  /** Each `ok`, or the code of what is wrong; `provider`: why there is no default model. */
  checks?: Record<string, string>
}
