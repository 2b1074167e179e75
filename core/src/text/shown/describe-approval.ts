import type { Approval } from '../../contracts/index.ts'
import { toShownText } from './shown-text.ts'

/**
 * What a person reads who decides about a call of a tool: who wants it and why, what untrusted content the agent has read, and
 * what the call does.
 */
export function describeApproval({ agentId, tool, args, risk, reason, preview, taint }: Approval): string {
  const lines = [
    `${agentId} wants to use ${tool} (risk: ${risk}; ${reason})`,
    ...(taint.length === 0 ? [] : [`It has read untrusted content: ${taint.join(', ')}`]),
    '',
    preview === '' ? (JSON.stringify(args, null, 2) ?? '') : preview,
  ]
  return toShownText(lines.join('\n'))
}
