import { type AgentView, isTerminal, type ModelCallView, type RunView, type ToolCallView } from '@svc/core/client'

/** One thing that an agent said, or one tool that it called. */
export type TalkItem = { kind: 'said'; call: ModelCallView } | { kind: 'tool'; call: ToolCallView }

/** What one agent said and called, in order. */
export interface AgentTalk {
  agentId: string
  name: string
  role: string
  status: AgentView['status']
  items: TalkItem[]
}

/**
 * What every agent says, agents in the order in which they began. The calls are the view's own: their texts grow with it,
 * so this is worked out again only after a durable event.
 */
export function talkOf(view: RunView): AgentTalk[] {
  const { modelCalls, toolCalls, agents } = view
  const talks = new Map<string, AgentTalk>()
  const talkBy = (agentId: string): AgentTalk => {
    let talk = talks.get(agentId)
    if (talk === undefined) {
      const { role, status } = agents.get(agentId) ?? OTHERS[agentId] ?? OTHER
      talk = { agentId, name: nameOf(view, agentId), role, status, items: [] }
      talks.set(agentId, talk)
    }
    return talk
  }
  for (const call of modelCalls) talkBy(call.agentId).items.push({ kind: 'said', call })
  for (const call of toolCalls) talkBy(call.agentId).items.push({ kind: 'tool', call })
  for (const talk of talks.values()) {
    talk.items.sort((a, b) => placeOf(a) - placeOf(b))
    const isAtWork = !isTerminal(view.status) && talk.items.some(({ call }) => call.status === 'running')
    if (!agents.has(talk.agentId) && isAtWork) talk.status = 'running'
  }
  return [...talks.values()]
}

/** What an agent is called, those outside of the plan included. */
export const nameOf = ({ agents }: RunView, agentId: string): string =>
  agents.get(agentId)?.name ?? OTHERS[agentId]?.name ?? agentId

/** Who speaks outside of the plan. */
const OTHER = { name: '', role: '', status: 'completed' } as const
const OTHERS: Readonly<Record<string, Pick<AgentView, 'name' | 'role' | 'status'>>> = {
  '': { ...OTHER, name: 'The pipeline', role: 'outside of the plan' },
  consensus: { ...OTHER, name: 'Votes', role: 'independent answers' },
}

/** A model call stands where it ended, before the tools that it asked for; one that goes on comes last. */
const placeOf = ({ kind, call }: TalkItem): number =>
  (kind === 'said' ? call.seq : call.requestedSeq) ?? Number.POSITIVE_INFINITY
