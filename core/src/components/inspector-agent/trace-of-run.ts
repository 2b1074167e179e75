import type { RunEvent } from '../../contracts/event.ts'
import { type ContentPart, toText } from '../../contracts/message.ts'
import type { Plan } from '../../contracts/plan.ts'
import { toCanonical } from './digest.ts'
import type { TraceMessage } from './trace-signals.ts'

/** A run as a conversation: what agents said and asked of tools, and what came back. */
export interface Trace {
  question: string
  history: TraceMessage[]
  /** For each message its event, as `<runId>:<seq>`. */
  refs: string[]
}

const LEADS = /\b(?:lead|coordinat|orchestrat|supervis)/i
const OBSERVED: ReadonlySet<string> = new Set(['tool.completed', 'tool.failed', 'tool.denied'])
const CHARS = 20_000

/** Reads the work of a run as a conversation; planning, judging and voting are left out. Linear in the events. */
export function toTrace(events: readonly RunEvent[]): Trace {
  const trace: Trace = { question: '', history: [], refs: [] }
  const leads = new Set<string>()
  for (const event of events) {
    const { type, data, stage, agentId = '' } = event
    if (type === 'run.created') trace.question = toTask(data.task)
    else if (type === 'plan.created') for (const id of leadsOf(data as unknown as Plan)) leads.add(id)
    const message = stage === undefined || stage === 'execute' ? toMessage(event) : undefined
    if (message === undefined || message.content.trim() === '') continue
    trace.history.push({ ...message, ...(leads.has(agentId) && message.kind === 'said' ? { coordinates: true } : {}) })
    trace.refs.push(`${event.runId}:${event.seq ?? 0}`)
  }
  return trace
}

function toMessage({ type, data, agentId = '' }: RunEvent): TraceMessage | undefined {
  if (type === 'message.completed' && Array.isArray(data.content)) {
    return { agent: agentId, content: toText(data.content as ContentPart[]).slice(0, CHARS), kind: 'said' }
  }
  if (type === 'tool.requested') {
    return {
      agent: agentId,
      content: `I called ${String(data.tool)} with ${toCanonical(data.args).slice(0, CHARS)}`,
      kind: 'said',
    }
  }
  if (!OBSERVED.has(type)) return undefined
  const text =
    type === 'tool.completed' ? toPlain(data.result) : `error: ${toPlain(messageOf(data.error) ?? data.reason)}`
  return { agent: typeof data.tool === 'string' ? data.tool : 'tool', content: text.slice(0, CHARS), kind: 'observed' }
}

const toPlain = (value: unknown): string => (typeof value === 'string' ? value : toCanonical(value))

const toTask = (task: unknown): string =>
  typeof task === 'string'
    ? task
    : typeof task === 'object' && task !== null && 'description' in task
      ? String(task.description)
      : ''

const messageOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined

const leadsOf = ({ agents }: Plan): string[] =>
  Array.isArray(agents) ? agents.filter(({ role }) => LEADS.test(role)).map(({ agentId }) => agentId) : []
