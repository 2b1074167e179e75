import { type ErrorInfo, type ExecutionResult, isTerminalEvent, type Stage } from '@svc/core/client'
import { allOf, newest } from './events.ts'
import type { RunState } from './run-state.ts'

/** What a run came to; undefined while it goes on, and of one that is to analyze alone: that says it in its stage. */
export function resultOf({ events }: RunState): Partial<ExecutionResult> | undefined {
  const last = events.at(-1)
  if (last === undefined || !isTerminalEvent(last)) return undefined
  const { result } = last.data
  // Of a plan alone it has what a person looks for, too: summary, warnings, error.
  return 'status' in result ? (result as Partial<ExecutionResult>) : undefined
}

/** What a person can do about an error, by the beginning of its code; undefined where the message says it all. */
export function cureOf({ code, retryable }: ErrorInfo): string | undefined {
  const cure = CURES.find(([start]) => code.startsWith(start))?.[1]
  return cure ?? (retryable ? 'The same may succeed later: go on with the run.' : undefined)
}

const CURES: readonly (readonly [string, string])[] = [
  ['provider_auth', "Check the provider's key on the server (svc doctor says which one is missing), then begin again."],
  ['provider_rate_limited', 'The provider limits how much it answers. Wait a little, then go on.'],
  ['provider_', 'Check whether the server can reach the provider, then go on.'],
  ['no_provider', 'Give the server a model: svc doctor says how.'],
  [
    'context_overflow',
    'The task with its material is too long for the model. Shorten it, or choose a model that takes more.',
  ],
  ['budget_', 'Go on with a larger budget.'],
  ['max_steps', 'Begin again with a higher limit of model calls.'],
  ['run_timeout', 'Begin again with a higher limit of time.'],
  ['queue_timeout', 'The server was busy. Begin the run again.'],
  ['run_poisoned', 'The server crashed in each try. Read its log before you go on.'],
  ['approval_', 'A call was not approved. Go on and approve it, or ask for something that needs no approval.'],
  ['policy_denied', 'The policy refuses such a call. Approvals shows the rules in force.'],
]

/** What a stage answered; undefined where it has not, or where its answer is the work itself. */
export function answerOf(state: RunState, stage: Stage) {
  const { view } = state
  switch (stage) {
    case 'analyze':
      return view.complexity && { stage, value: view.complexity }
    case 'allocate':
      return view.allocation && { stage, value: view.allocation }
    case 'plan':
      return view.plan && { stage, value: view.plan }
    case 'reflect': {
      const event = newest(state.events, 'reflection.completed')
      return event && { stage, value: event.data }
    }
    case 'consensus': {
      const event = newest(state.events, 'consensus.resolved')
      return event && { stage, value: event.data }
    }
    case 'inspect': {
      const found = allOf(state.events, 'inspect.issue').map(({ data }) => data)
      const { grade, score, issues = found } = resultOf(state)?.inspection ?? {}
      return grade !== undefined || issues.length > 0 ? { stage, value: { grade, score, issues } } : undefined
    }
    default:
      return undefined
  }
}
export type StageAnswer = NonNullable<ReturnType<typeof answerOf>>

/** Number of the event that `<runId>:<seq>` names, where it is one of this run. */
export function seqOf(evidence: string, runId: string): number | undefined {
  const [id, seq] = evidence.split(':')
  return id === runId && /^\d+$/.test(seq ?? '') ? Number(seq) : undefined
}
