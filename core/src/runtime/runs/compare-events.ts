import type { RunEvent } from '../../contracts/event.ts'

/** Differs from run to run without meaning anything. */
const VOLATILE: ReadonlySet<string> = new Set([
  'durationMs',
  'latencyMs',
  'ttftMs',
  'delayMs',
  'cached',
  'streamed',
  'time',
  'runId',
  'id',
  'callId',
  'evidence',
  'firstAt',
  'remaining',
  'used',
  'costUsd',
])

/** Events that only count or time something, that belong to one process's life, or that only a real call makes. */
const NOT_COMPARED =
  /^(run|budget|memory|approval)\.|^(model\.(started|retrying|fallback|failed)|tool\.started|topology\.updated)$/

/** Whether two lives of one run must have the event alike. */
export const isCompared = ({ type }: RunEvent): boolean => !NOT_COMPARED.test(type)

/** What an event says, without what differs from life to life. */
export const comparable = ({ type, stage, stepId, agentId, data }: RunEvent): string =>
  JSON.stringify({ type, stage, stepId, agentId, data }, (key, value) => (VOLATILE.has(key) ? undefined : value))
