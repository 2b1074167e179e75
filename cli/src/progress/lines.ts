import type { RunEvent } from '@svc/core'
import { type Io, toSafeLine } from '../frame/io.ts'
import { count, oneLine } from '../render/one-line.ts'
import type { Progress } from './progress.ts'

/** One line for each step of the work. */
export function createLines(io: Io, verbose: boolean): Progress {
  /** Why the model was last asked again, by step: the same reason is said once. */
  const causes = new Map<string, string>()
  const isNew = ({ stepId = '' }: RunEvent, message: string): boolean => {
    const known = causes.get(stepId) === message
    causes.set(stepId, message)
    return !known
  }
  return {
    show(event) {
      const line = describeEvent(event, verbose, io, (message) =>
        isNew(event, message) ? `: ${oneLine(io.redact(message))}` : '',
      )
      if (line !== undefined) io.err(`${toSafeLine(line)}\n`)
    },
    pause: (work) => work(),
    end() {},
  }
}

/** What a line says of an event; undefined where it says nothing. @param because a failure's message, as it stands at the end of a line */
export function describeEvent(
  event: RunEvent,
  verbose: boolean,
  { redact }: Pick<Io, 'redact'>,
  because: (message: string) => string,
): string | undefined {
  // What is cut is no longer known as a key.
  const short = (text: string): string => oneLine(redact(text))
  const { agentId = '', stepId = '', stage } = event
  switch (event.type) {
    case 'analysis.completed':
      return `analyze: difficulty ${event.data.score.toFixed(2)}, ${event.data.recommendedTopology} recommended`
    case 'plan.created': {
      const { topology, steps, agents } = event.data
      return `plan: ${topology}, ${count(steps.length, 'step')}, ${count(agents.length, 'agent')}`
    }
    case 'step.started':
      return `${stepId} ${agentId}: ${short(event.data.objective)}`
    case 'step.retrying': {
      const { tries, error, check } = event.data
      return `${stepId} ${agentId}: try ${tries}: ${short(error?.message ?? check?.evidence ?? '')}`
    }
    case 'step.completed':
      return `${stepId} ${agentId}: done`
    case 'step.failed':
      return `${stepId} ${agentId}: failed${because(event.data.error.message)}`
    case 'step.skipped':
      return `${stepId} ${agentId}: skipped: ${event.data.why}`
    case 'agent.steered':
      return `${stepId} ${agentId} reads: ${short(event.data.messages.map(({ text }) => text).join(' '))}`
    case 'tool.requested':
      return `  ${agentId} ${event.data.tool} ${short(JSON.stringify(event.data.args) ?? '')}`
    case 'approval.resolved':
      return event.data.args === undefined
        ? undefined
        : `  ${agentId} runs it with ${short(JSON.stringify(event.data.args) ?? '')}`
    case 'tool.failed':
      return `  ${agentId} ${event.data.tool ?? 'tool'}: ${short(event.data.error.message)}`
    case 'tool.denied':
      return `  ${agentId} ${event.data.tool ?? 'tool'}: denied${event.data.by === 'rule' ? `: ${short(event.data.error?.message ?? event.data.reason)}` : ''}`
    case 'model.retrying':
      return `  ${agentId} tries the model again in ${event.data.delayMs} ms${because(event.data.cause.message)}`
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
