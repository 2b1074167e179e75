import { type ErrorInfo, shownStateOf } from '@svc/core/client'
import { cureOf } from '../../state/outcome.ts'
import type { Turn } from './turns.ts'

/** How a run ended that did not complete, for a person. */
export interface Ending {
  /** What happened. */
  text: string
  /** What to do next, where the buttons beside do not say it all. */
  next: string | undefined
  /** The code, for those who look it up. */
  code: string | undefined
  /** Tokens that it needs more of; undefined where tokens are not what stopped it. */
  needsTokens: boolean
  tone: 'failed' | 'quiet'
}

/** Undefined of a run that completed, and of one that goes on. */
export function endingOf({ status, run }: Turn): Ending | undefined {
  const { error } = run ?? {}
  const { reason } = shownStateOf({ ...run, status })
  const next = error && cureOf(error as ErrorInfo)
  if (status === 'cancelled') {
    const text =
      run !== undefined && run.startedAt === undefined ? 'Taken back before it began.' : 'Stopped before it was done.'
    return { text, next: undefined, code: undefined, needsTokens: false, tone: 'quiet' }
  }
  if (status === 'failed')
    return {
      text: `It failed: ${error?.message ?? 'no reason is recorded.'}`,
      next,
      code: reason,
      needsTokens: false,
      tone: 'failed',
    }
  if (status !== 'incomplete') return undefined
  const text =
    REASONS[reason ?? ''] ?? (error === undefined ? 'It is not complete.' : `It is not complete: ${error.message}`)
  return { text, next, code: reason, needsTokens: isOfBudget(reason), tone: 'quiet' }
}

const isOfBudget = (reason = ''): boolean => reason.startsWith('budget_') || reason === 'limit'

const REASONS: Readonly<Record<string, string>> = {
  checks_failed: 'A check found that part of this is false, or not as it was asked for.',
  not_verified: 'Not all of this could be verified.',
  not_found: 'It says itself that it found no answer.',
  limit: 'It stopped at a limit, before it was done. What is above is the best there is.',
  budget_exceeded: 'It stopped at its budget, before it was done. What is above is the best there is.',
}
