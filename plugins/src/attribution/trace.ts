import { type RunEvent, toText } from '@svc/core'

/** One message of a run, in order. */
export interface TraceMessage {
  agent: string
  content: string
  /** `observed` is what tools and the world answered; `asked` comes from outside. Found from the text when absent. */
  kind?: 'said' | 'observed' | 'asked' | undefined
  /** The agent gave work to others and did none itself. Found from the shape of the conversation when absent. */
  coordinates?: boolean | undefined
}

/** A run as a conversation: what agents said and asked of tools, and what came back. */
export interface Trace {
  question: string
  history: TraceMessage[]
  /** For each message its event, as `<runId>:<seq>`. */
  refs: string[]
}

const LEADS = /\b(?:lead|coordinat|orchestrat|supervis)/i
const CHARS = 20_000

/** Reads the work of a run as a conversation; planning, judging and voting are left out. Linear in the events. */
export function toTrace(events: readonly RunEvent[]): Trace {
  const trace: Trace = { question: '', history: [], refs: [] }
  const leads = new Set<string>()
  for (const event of events) {
    if (event.type === 'run.created') trace.question = event.data.task
    else if (event.type === 'plan.created') {
      for (const { agentId, role } of event.data.agents) if (LEADS.test(role)) leads.add(agentId)
    }
    const message = event.stage === undefined || event.stage === 'execute' ? toMessage(event) : undefined
    if (message === undefined || message.content.trim() === '') continue
    const coordinates = message.kind === 'said' && leads.has(message.agent)
    trace.history.push({
      ...message,
      content: message.content.slice(0, CHARS),
      ...(coordinates ? { coordinates } : {}),
    })
    trace.refs.push(`${event.runId}:${event.seq ?? 0}`)
  }
  return trace
}

function toMessage(event: RunEvent): TraceMessage | undefined {
  const { agentId = '' } = event
  switch (event.type) {
    case 'message.completed':
      return { agent: agentId, content: toText(event.data.content), kind: 'said' }
    case 'tool.requested': {
      const { tool, args } = event.data
      return { agent: agentId, content: `I called ${tool} with ${JSON.stringify(args)}`, kind: 'said' }
    }
    case 'tool.completed':
      return { agent: event.data.tool, content: event.data.result, kind: 'observed' }
    case 'tool.failed':
      return { agent: event.data.tool ?? 'tool', content: `error: ${event.data.error.message}`, kind: 'observed' }
    case 'tool.denied':
      return { agent: event.data.tool ?? 'tool', content: `error: ${event.data.reason}`, kind: 'observed' }
    default:
      return undefined
  }
}
