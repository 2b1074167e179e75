import type { Detector } from '../detector.ts'
import { digest } from '../digest.ts'

/** An agent says the same again and again, with nothing seen or done between. */
export const monologue: Detector = {
  code: 'monologue',
  mast: '1.3',
  on: ['message.completed', 'tool.completed', 'tool.failed', 'agent.message'],
  watch(facts, thresholds) {
    const said = new Map<string, { name: string; times: number; refs: string[] }>()
    return (event) => {
      if (!facts.isWork(event)) return undefined
      if (event.type === 'agent.message') {
        // Whoever is spoken to has something new to answer.
        const { to } = event.data
        if (Array.isArray(to)) for (const key of said.keys()) if (to.includes(key.split('|')[1])) said.delete(key)
        return undefined
      }
      const key = facts.placeOf(event)
      if (event.type !== 'message.completed') {
        said.delete(key)
        return undefined
      }
      const text = facts.message?.trim() ?? ''
      if (text === '') return undefined
      const name = digest(text)
      const last = said.get(key)
      const now = last?.name === name ? last : { name, times: 0, refs: [] }
      now.times++
      now.refs = [...now.refs.slice(-7), facts.refOf(event)]
      said.set(key, now)
      if (now.times < thresholds.monologue) return undefined
      return {
        subject: `${event.agentId}/${event.stepId ?? ''}`,
        severity: 'critical',
        message: `${event.agentId} said the same ${now.times} times without doing anything`,
        fix: 'Do not say it again: use a tool, or give your final answer.',
        action: 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
        evidence: now.refs,
      }
    }
  },
}
