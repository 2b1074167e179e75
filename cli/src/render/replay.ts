import type { ReplayResult } from '@svc/core'
import { fit } from './width.ts'

/** Whether a run went as it is recorded, else where it first did not. */
export function renderReplay({ identical, firstDivergence }: ReplayResult, columns: number): string {
  if (identical || firstDivergence === undefined) return 'identical'
  const { seq, expected, actual } = firstDivergence
  return [
    `differs from event ${seq} on`,
    `  - ${fit(toText(expected), columns - 4)}`,
    `  + ${fit(toText(actual), columns - 4)}`,
  ].join('\n')
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value !== 'object' || !('type' in value)) return typeof value === 'string' ? value : JSON.stringify(value)
  const { type, stepId, data } = value as { type: unknown; stepId?: unknown; data?: unknown }
  return `${type}${stepId === undefined ? '' : ` ${stepId}`} ${JSON.stringify(data) ?? ''}`
}
