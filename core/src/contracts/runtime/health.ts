import type { Warning } from '../warning.ts'

/** Whether the runtime can work. */
export interface Health {
  status: 'ok' | 'degraded'
  version: string
  uptimeSeconds: number
  provider: string
  warnings: Warning[]
  checks?: Record<string, string>
}
