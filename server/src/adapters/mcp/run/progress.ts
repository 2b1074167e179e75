import type { RunEvent } from '@svc/core'
import { toShownText } from '@svc/core/client'

const MOST_CHARS = 200

/** One line that says how a run goes on, for people; undefined for an event that says nothing to them. */
export function describeProgress(event: RunEvent): string | undefined {
  const text = describe(event)
  if (text === undefined) return undefined
  const line = toShownText(text).replaceAll('\n', ' ')
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 3)}...` : line
}

function describe(event: RunEvent): string | undefined {
  const { agentId = 'an agent', type, data } = event
  switch (type) {
    case 'run.queued':
      return data.position > 1 ? `queued, number ${data.position}` : 'queued'
    case 'run.started':
      return data.attempt > 1 ? `started again (attempt ${data.attempt})` : 'started'
    case 'run.recovered':
      return 'goes on after a restart'
    case 'analysis.completed':
      return `analyzed: difficulty ${data.score.toFixed(2)}`
    case 'plan.created':
      return `planned: ${data.topology}, ${count(data.steps.length, 'step')}, ${count(data.agents.length, 'agent')}`
    case 'plan.revised':
      return `planned again: ${data.reason}`
    case 'step.started':
      return `${agentId}: ${data.objective}`
    case 'step.completed':
      return `${agentId}: done`
    case 'step.failed':
      return `${agentId}: failed: ${data.error.message}`
    case 'step.skipped':
      return `${agentId}: skipped: ${data.why}`
    case 'step.retrying':
      return `${agentId}: try ${data.tries}: ${data.error?.message ?? data.check?.evidence ?? ''}`
    case 'agent.handoff':
      return `${data.from} hands over to ${data.to}: ${data.reason}`
    case 'tool.requested':
      return `${agentId} uses ${data.tool} ${JSON.stringify(data.args) ?? ''}`
    case 'tool.denied':
      return `${agentId}: ${data.tool ?? 'a tool'} was denied: ${data.reason}`
    case 'tool.failed':
      return `${agentId}: ${data.tool ?? 'a tool'} failed: ${data.error.message}`
    case 'approval.requested':
      return `${agentId} waits for approval of ${data.tool} (${data.id})`
    case 'model.retrying':
      return `${agentId} tries the model again: ${data.cause.message}`
    case 'consensus.started':
      return `${count(data.models.length, 'model')} vote`
    default:
      return undefined
  }
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
