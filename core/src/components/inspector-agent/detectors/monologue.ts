import type { Detector } from '../detector.ts'

const KEPT = 8

/** An agent says the same again and again, with nothing seen or done between. */
export const monologue: Detector = {
  code: 'monologue',
  mast: '1.3',
  on: ['message.completed', 'tool.completed', 'tool.failed', 'agent.message'],
  watch(facts, thresholds) {
    const said = new Map<string, { agentId: string; text: string; times: number; seqs: number[] }>()
    return (event) => {
      if (!facts.isWork(event)) return undefined
      if (event.type === 'agent.message') {
        // An agent that gets a message has something new to answer.
        for (const [key, { agentId }] of said) if (event.data.to.includes(agentId)) said.delete(key)
        return undefined
      }
      const key = facts.placeOf(event)
      if (event.type !== 'message.completed') {
        said.delete(key)
        return undefined
      }
      const text = facts.toolsCalled.length > 0 || event.data.role !== 'assistant' ? '' : facts.text.trim()
      if (text === '') return undefined
      const { agentId = '', stepId, seq = 0 } = event
      const last = said.get(key)
      if (last?.text !== text) {
        said.set(key, { agentId, text, times: 1, seqs: [seq] })
        return undefined
      }
      last.times++
      last.seqs.push(seq)
      if (last.seqs.length > KEPT) last.seqs.shift()
      if (last.times < thresholds.monologue) return undefined
      return {
        subject: `${agentId}/${stepId ?? ''}`,
        severity: 'critical',
        message: `${agentId} said the same ${last.times} times without doing anything`,
        fix: 'Do not say it again: use a tool, or give your final answer.',
        action: 'nudge',
        agentId: event.agentId,
        stepId,
        evidence: last.seqs,
      }
    }
  },
}
