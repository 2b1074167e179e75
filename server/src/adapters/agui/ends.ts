import type { Approval, Run } from '@svc/core'
import { describeApproval } from '@svc/core/text'
import { factsOf, isExecuted } from '../shared/facts.ts'
import { toId } from '../shared/ids.ts'
import type { ShownCalls } from './shown-calls.ts'
import type { AguiEvent, Interrupt, Outcome } from './wire.ts'

/** What a run asks, and where. */
export interface Asked {
  /** Number of the event in which it asks. */
  seq: number
  calls?: ShownCalls
}

/** What the page is shown of a run, as `svc` of its state. */
export const svcStateOf = (run: Run): Record<string, unknown> => ({
  runId: run.id,
  ...factsOf(run),
  usage: run.usage,
  costUsd: run.costUsd,
})

/** What a run waits for that a person answers. */
export function interruptsOf(run: Run, { seq, calls }: Asked): Interrupt[] {
  const { approvals = [], input } = run.waiting ?? {}
  const question = input && {
    id: toId('input', run.id, seq),
    reason: 'input_required' as const,
    message: input.prompt,
    responseSchema: (input.schema as Record<string, unknown> | undefined) ?? { type: 'string' },
  }
  return [...approvals.map((approval) => toInterrupt(approval, calls)), ...(question ? [question] : [])]
}

function toInterrupt(approval: Approval, calls: ShownCalls | undefined): Interrupt {
  const { id, tool, args, risk, reason, taint, expiresAt } = approval
  const toolCallId = calls?.idOf(approval)
  return {
    id,
    reason: toolCallId === undefined ? 'confirmation' : 'tool_call',
    message: describeApproval(approval),
    ...(toolCallId !== undefined && { toolCallId }),
    responseSchema: {
      type: 'object',
      properties: {
        approved: { type: 'boolean' },
        editedArgs: { type: 'object', description: 'other arguments to call with, whole' },
        note: { type: 'string' },
      },
      required: ['approved'],
    },
    expiresAt,
    metadata: { tool, args, risk, reason, taint },
  }
}

/** The last event of a run that has ended, or that waits. */
export function finishedOf(run: Run, asked: Asked): Omit<AguiEvent & { type: 'RUN_FINISHED' }, 'threadId' | 'runId'> {
  const { inputTokens, outputTokens } = run.usage
  const usage = [{ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }]
  const { status, result } = run
  const output = isExecuted(result) ? result.output : undefined
  const outcome = outcomeOf(run, asked)
  const hasResult = outcome.type === 'success' && status !== 'waiting'
  const shown = { ...factsOf(run), ...(output !== undefined && { output }) }
  return { type: 'RUN_FINISHED', outcome, ...(hasResult && { result: shown }), usage }
}

function outcomeOf(run: Run, asked: Asked): Outcome {
  if (run.status === 'cancelled') return { type: 'cancelled' }
  const interrupts = interruptsOf(run, asked)
  if (interrupts.length > 0) return { type: 'interrupt', interrupts }
  const pending = (run.waiting?.calls ?? []).map(({ id }) => id)
  return { type: 'success', ...(pending.length > 0 && { pendingToolCallIds: pending }) }
}

export const errorOf = ({ error }: Run): AguiEvent => ({
  type: 'RUN_ERROR',
  message: error?.message ?? 'the run failed',
  code: error?.code ?? 'run_failed',
})
