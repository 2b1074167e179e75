import type { RunEvent } from '@svc/core'
import { renderTable } from '../table.ts'

/** The log of a run as a table: the numbers are what a fork begins at. */
export function renderEvents(events: readonly RunEvent[], columns: number): string {
  const startMs = Date.parse(events[0]?.time ?? '')
  return renderTable(
    ['at', 'after', 'event', 'agent', 'what'],
    events.map((event) => [
      String(event.seq ?? ''),
      `${((Date.parse(event.time) - startMs) / 1000).toFixed(1)} s`,
      event.type,
      event.agentId ?? '',
      whatOf(event),
    ]),
    columns,
    { cuts: true },
  )
}

/** What a tool was called with, where that is not what the agent asked for. */
const calledWith = (args: unknown): string => (args === undefined ? '' : `with ${JSON.stringify(args)}: `)

function whatOf(event: RunEvent): string {
  switch (event.type) {
    case 'run.created':
      return event.data.task
    case 'stage.started':
    case 'stage.completed':
      return event.stage ?? ''
    case 'step.started':
      return event.data.objective
    case 'step.completed':
      return event.data.output
    case 'model.started':
      return `${event.data.provider}/${event.data.model}`
    case 'model.completed':
      return event.data.text ?? event.data.toolCalls.map(({ tool }) => tool).join(', ')
    case 'tool.requested':
      return `${event.callId} ${event.data.tool} ${JSON.stringify(event.data.args) ?? ''}`
    case 'tool.completed':
      return `${calledWith(event.data.args)}${event.data.result}`
    case 'tool.failed':
      return `${calledWith(event.data.args)}${event.data.error.message}`
    case 'tool.denied':
      return event.data.reason
    case 'agent.steered':
      return event.data.messages.map(({ text }) => text).join(' ')
    case 'approval.requested':
      return `${event.data.callId} ${event.data.tool} ${JSON.stringify(event.data.args) ?? ''}`
    case 'approval.resolved': {
      const { decision, by, args, note } = event.data
      return [decision, `by ${by}`, ...(args === undefined ? [] : [JSON.stringify(args)]), note ?? '']
        .join(' ')
        .trimEnd()
    }
    case 'stream.warning':
      return `${event.data.code}: the log is damaged here, and the rest of it cannot be read`
    case 'model.failed':
    case 'step.failed':
      return event.data.error.message
    default:
      return ''
  }
}
