import type { RunEvent } from '@svc/core'
import { type Io, toSafe } from '../io.ts'
import { count, oneLine } from './one-line.ts'
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

function describe({ type, agentId = '', stepId = '', stage, data }: RunEvent, verbose: boolean): string | undefined {
  switch (type) {
    case 'analysis.completed':
      return `analyze: difficulty ${Number(data.score).toFixed(2)}, ${data.recommendedTopology} recommended`
    case 'plan.created': {
      const { topology, steps, agents } = data as { topology: string; steps: unknown[]; agents: unknown[] }
      return `plan: ${topology}, ${count(steps.length, 'step')}, ${count(agents.length, 'agent')}`
    }
    case 'step.started':
      return `${stepId} ${agentId}: ${oneLine(String(data.objective))}`
    case 'step.completed':
      return `${stepId} ${agentId}: done`
    case 'step.failed':
      return `${stepId} ${agentId}: failed: ${messageOf(data)}`
    case 'step.skipped':
      return `${stepId} ${agentId}: skipped: ${data.why}`
    case 'tool.requested':
      return `  ${agentId} ${data.tool} ${oneLine(JSON.stringify(data.args) ?? '')}`
    case 'tool.failed':
    case 'tool.denied':
      return `  ${agentId} ${data.tool ?? 'tool'}: ${messageOf(data)}`
    case 'model.retrying':
      return `  ${agentId} tries the model again in ${data.delayMs} ms: ${messageOf({ error: data.cause })}`
    case 'inspect.issue':
      return `  inspector: ${data.message}`
    case 'stage.completed':
      return verbose ? `${stage}: ${Number(data.durationMs).toFixed(1)} ms by ${data.plugin || 'nobody'}` : undefined
    default:
      return undefined
  }
}

const messageOf = (data: Record<string, unknown>): string => {
  const { error, reason } = data as { error?: { message?: string }; reason?: string }
  return oneLine(error?.message ?? reason ?? '')
}
