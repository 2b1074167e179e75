import type { Detector } from '../detector.ts'

const ANNOUNCES = /\b(?:I(?:'ll| will| am going to|'m going to)|let me|now I|next,? I)\b[^.!?\n]{0,160}/gi
const TOOL_NAME = /\b[a-z][a-z0-9]*(?:[_.-][a-z0-9]+){1,6}\b/g
const HEAD_CHARS = 4_000
const MOST_TOOLS = 1_000

/** An agent announces one tool and calls another, or none. */
export const announcedAction: Detector = {
  code: 'announced-otherwise',
  mast: '2.6',
  on: ['tool.requested', 'plan.created', 'message.completed'],
  watch(facts) {
    const known = new Set<string>()
    return (event) => {
      if (event.type === 'tool.requested') {
        if (known.size < MOST_TOOLS) known.add(event.data.tool)
        return undefined
      }
      if (event.type === 'plan.created') {
        for (const { tools } of event.data.steps) for (const tool of tools) known.add(tool)
        return undefined
      }
      const text = facts.text.slice(0, HEAD_CHARS)
      if (!facts.isWork(event) || !namesAny(text, known)) return undefined
      const announced = toAnnounced(text, known)
      const called = facts.toolsCalled
      if (announced.size === 0 || called.some((tool) => announced.has(tool))) return undefined
      const { agentId, stepId } = event
      const names = [...announced].join(', ')
      const isIdle = called.length === 0
      return {
        subject: `${agentId}/${stepId ?? ''}`,
        severity: isIdle ? 'warn' : 'info',
        message: `${agentId} announced ${names} and called ${isIdle ? 'nothing' : called.join(', ')}`,
        fix: `Call ${names} if it is needed, or answer without announcing it.`,
        action: isIdle ? 'nudge' : 'none',
        agentId,
        stepId,
      }
    }
  },
}

/** Plain search first: most messages name no tool, and the patterns are slower by far. */
function namesAny(text: string, known: ReadonlySet<string>): boolean {
  for (const name of known) if (text.includes(name)) return true
  return false
}

function toAnnounced(text: string, known: ReadonlySet<string>): Set<string> {
  const names = new Set<string>()
  for (const [sentence] of text.matchAll(ANNOUNCES))
    for (const [name] of sentence.matchAll(TOOL_NAME)) if (known.has(name)) names.add(name)
  return names
}
