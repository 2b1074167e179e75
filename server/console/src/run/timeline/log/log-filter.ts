import type { RunEvent } from '@svc/core/client'
import { describeEvent } from './describe-event.ts'

/** Types of events that are looked for together, by the beginning of their names. */
export const GROUPS = {
  Run: ['run'],
  Stages: ['stage', 'analysis', 'plan', 'topology'],
  Agents: ['agent', 'step', 'message'],
  Models: ['model'],
  Tools: ['tool', 'approval'],
  Checks: ['consensus', 'reflection', 'inspect', 'plugin'],
  Budget: ['budget'],
  Memory: ['memory'],
} as const
export type Group = keyof typeof GROUPS

/**
 * The events that are looked for, in order.
 *
 * @param groups none: all
 * @param text found in what is shown of an event, upper and lower case alike; empty: all
 */
export function filterLog(events: readonly RunEvent[], groups: readonly Group[], text: string): readonly RunEvent[] {
  const nouns = new Set<string>(groups.flatMap((group) => GROUPS[group]))
  const sought = text.trim().toLowerCase()
  if (nouns.size === 0 && sought === '') return events
  return events.filter((event) => {
    const { type, agentId = '', stepId = '' } = event
    if (nouns.size > 0 && !nouns.has(type.slice(0, type.indexOf('.')))) return false
    return sought === '' || `${type} ${agentId} ${stepId} ${describeEvent(event)}`.toLowerCase().includes(sought)
  })
}
