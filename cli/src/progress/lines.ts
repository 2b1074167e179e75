import type { RunEvent } from '@svc/core'
import { type Io, toSafe } from '../io.ts'
import { count, oneLine } from '../render/one-line.ts'
import type { Progress } from './progress.ts'

/** One line for each step of the work. */
export function createLines(io: Io, verbose: boolean): Progress {
  return {
    show(event) {
      const line = describe(event, verbose)
      if (line !== undefined) io.err(toSafe(`${line}\n`))
    },
    pause: (work) => work(),
    end() {},
  }
}

function describe(event: RunEvent, verbose: boolean): string | undefined {
  const { agentId = '', stepId = '', stage } = event
  switch (event.type) {
    case 'analysis.completed':
      return `analyze: difficulty ${event.data.score.toFixed(2)}, ${event.data.recommendedTopology} recommended`
    case 'plan.created': {
      const { topology, steps, agents } = event.data
      return `plan: ${topology}, ${count(steps.length, 'step')}, ${count(agents.length, 'agent')}`
    }
    case 'step.started':
      return `${stepId} ${agentId}: ${oneLine(event.data.objective)}`
    case 'step.retrying': {
      const { tries, error, check } = event.data
      return `${stepId} ${agentId}: try ${tries}: ${oneLine(error?.message ?? check?.evidence ?? '')}`
    }
    case 'step.completed':
      return `${stepId} ${agentId}: done`
    case 'step.failed':
      return `${stepId} ${agentId}: failed: ${oneLine(event.data.error.message)}`
    case 'step.skipped':
      return `${stepId} ${agentId}: skipped: ${event.data.why}`
    case 'tool.requested':
      return `  ${agentId} ${event.data.tool} ${oneLine(JSON.stringify(event.data.args) ?? '')}`
    case 'tool.failed':
      return `  ${agentId} ${event.data.tool ?? 'tool'}: ${oneLine(event.data.error.message)}`
    case 'tool.denied':
      return `  ${agentId} ${event.data.tool ?? 'tool'}: denied${event.data.by === 'rule' ? `: ${oneLine(event.data.error?.message ?? event.data.reason)}` : ''}`
    case 'model.retrying':
      return `  ${agentId} tries the model again in ${event.data.delayMs} ms: ${oneLine(event.data.cause.message)}`
    case 'inspect.issue':
      return verbose || event.data.action !== 'none' ? `  inspector: ${event.data.message}` : undefined
    case 'stage.completed': {
      const { durationMs, plugin } = event.data
      return verbose ? `${stage}: ${durationMs.toFixed(1)} ms by ${plugin || 'nobody'}` : undefined
    }
    default:
      return undefined
  }
}
