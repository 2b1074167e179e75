import type { RunEvent } from './event.ts'

/** Fields that differ from run to run without meaning anything, wherever they stand in an event. */
export const VOLATILE_FIELDS: ReadonlySet<string> = new Set([
  'durationMs',
  'latencyMs',
  'ttftMs',
  'responseId',
  'delayMs',
  'cached',
  'recorded',
  'streamed',
  'time',
  'runId',
  'taskId',
  'id',
  'createdAt',
  'updatedAt',
  'callId',
  'evidence',
  'facts',
  'firstAt',
  'remaining',
  'used',
  'costUsd',
])

/**
 * What two events are compared by, beside `VOLATILE_FIELDS`: without the taps of a stage, which older logs lack, and
 * whether a fork kept it; of a tool call without what the other agents had read by then, who take turns as they like.
 */
export function comparedPart({ type, stage, stepId, agentId, data }: RunEvent): Record<string, unknown> {
  const compared =
    type === 'stage.completed' || type === 'stage.failed'
      ? { ...data, taps: undefined, inherited: undefined }
      : type === 'tool.requested'
        ? { ...data, taint: undefined }
        : data
  return { type, stage, stepId, agentId, data: compared }
}
