import type { ToolAnswer } from '../../contracts/tool/tool.ts'

/** Whether the outcome of a step is what came of a tool call. */
export const isToolAnswer = (outcome: unknown): outcome is ToolAnswer =>
  typeof outcome === 'object' && outcome !== null && 'ok' in outcome && 'callId' in outcome
