import { type ContentPart, toText } from '../../../contracts/message.ts'
import type { Detector } from '../detector.ts'

const ANNOUNCES = /\b(?:I(?:'ll| will| am going to|'m going to)|let me|now I|next,? I)\b[^.!?\n]{0,160}/gi
const TOOL_NAME = /\b[a-z][a-z0-9]*(?:[_.-][a-z0-9]+){1,6}\b/g
const HEAD_CHARS = 4_000
const MAX_TURNS = 200

/** An agent says which tool it is about to use and calls another, or none. */
export const announcedAction: Detector = {
  code: 'announced-otherwise',
  mast: '2.6',
  on: ['tool.requested', 'plan.created', 'model.completed', 'message.completed'],
  watch(facts) {
    const known = new Set<string>()
    const called = new Map<string, readonly string[]>()
    return (event) => {
      const { type, data, agentId = '', callId = '' } = event
      if (type === 'tool.requested') {
        if (typeof data.tool === 'string' && known.size < 1_000) known.add(data.tool)
        return undefined
      }
      if (type === 'plan.created') {
        for (const { tools } of facts.steps.values()) for (const tool of tools) known.add(tool)
        return undefined
      }
      if (!facts.isWork(event)) return undefined
      const turn = `${agentId}|${callId}`
      if (type === 'model.completed') {
        if (called.size >= MAX_TURNS) called.clear()
        called.set(turn, toolsOf(data.toolCalls))
        return undefined
      }
      const calls = called.get(turn)
      called.delete(turn)
      if (calls === undefined || !Array.isArray(data.content)) return undefined
      const said = announced(toText(data.content as ContentPart[]).slice(0, HEAD_CHARS), known)
      if (said.size === 0 || calls.some((tool) => said.has(tool))) return undefined
      const names = [...said].join(', ')
      const isIdle = calls.length === 0
      return {
        subject: `${agentId}/${event.stepId ?? ''}`,
        severity: isIdle ? 'warn' : 'info',
        message: `${agentId} announced ${names} and called ${isIdle ? 'nothing' : calls.join(', ')}`,
        fix: `Call ${names} if it is needed, or answer without announcing it.`,
        action: isIdle ? 'nudge' : 'none',
        agentId: event.agentId,
        stepId: event.stepId,
      }
    }
  },
}

function toolsOf(calls: unknown): string[] {
  return Array.isArray(calls)
    ? calls.flatMap(({ tool }: { tool?: unknown }) => (typeof tool === 'string' ? [tool] : []))
    : []
}

function announced(text: string, known: ReadonlySet<string>): Set<string> {
  const names = new Set<string>()
  for (const [sentence] of text.matchAll(ANNOUNCES))
    for (const [name] of sentence.matchAll(TOOL_NAME)) if (known.has(name)) names.add(name)
  return names
}
