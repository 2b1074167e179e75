import type { Decision, Run } from '@svc/core'
import { assertMay } from '../../keys/caller.ts'
import { askerOf } from '../../keys/runtime-of.ts'
import type { RouteRequest } from '../../routes/route.ts'
import type { BegunRun } from './begin-run.ts'

/** What a person said of a call, as protocols have it. */
interface Said {
  approved: boolean
  /** Other arguments to call with. */
  args?: unknown
  note?: string | undefined
}

export function toDecision({ approved, args, note }: Said): Decision {
  const decision = !approved ? 'deny' : args === undefined ? 'approve' : 'edit'
  return { decision, ...(decision === 'edit' && { args }), ...(note !== undefined && { note }) }
}

/** Decides about calls that wait for approval. @throws PolicyError for a key that may not */
export async function decide(
  { context, caller }: RouteRequest,
  decisions: readonly { id: string; decision: Decision }[],
): Promise<void> {
  if (decisions.length > 0) assertMay(caller, 'approve', 'answering an approval')
  for (const { id, decision } of decisions) await context.runtime.approvals.resolve(id, decision, caller.name)
}

/** Answers the question that a run waits with. @throws PolicyError for a key that may not; ValidationError */
export async function answerInput(request: RouteRequest, run: Run, input: unknown): Promise<BegunRun> {
  assertMay(request.caller, 'admin', 'answering what a run asks')
  await request.context.runtime.runs.resume(run.id, { input }, askerOf(request))
  return atWork(run)
}

/** A run that was just answered, as it goes on. */
export const atWork = ({ waiting: _, ...run }: Run): BegunRun => ({
  run: { ...run, status: 'running' },
  after: run.lastSeq,
  headers: {},
})
