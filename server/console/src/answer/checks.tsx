import type { ShownState } from '@svc/core/client'
import type { ExecutionResult, Reflection } from '@svc/sdk/remote'
import { plural } from '../parts/format.ts'

/** What a verdict means to a person. */
const VERDICTS = {
  pass: { status: 'completed', title: 'Evidence of this run holds every statement that can be checked.' },
  unverified: {
    status: 'queued',
    title: 'Nothing is refuted, but evidence of this run does not hold every statement.',
  },
  fail: { status: 'failed', title: 'Part of the answer is false, or was not done.' },
} as const

interface ChecksProps {
  result: Partial<ExecutionResult>
  stands: ShownState
  reflection: Reflection | undefined
}

/** How far to trust an answer, and which checks it went through: a verdict says no more than they do. */
export function Checks({ result: { tainted }, stands: { verdict }, reflection }: ChecksProps) {
  const judged = verdict && VERDICTS[verdict]
  const made = reflection?.checks.filter(({ result }) => result !== 'na') ?? []
  const claims = reflection?.claims ?? []
  const held = claims.filter(({ verdict: found }) => found === 'supported').length
  const names = made.map(
    ({ id, result, by }) => `${id}${by === 'llm' ? ' by a model' : ''}${result === 'fail' ? ': failed' : ''}`,
  )
  return (
    <div class="soft small">
      {judged !== undefined && (
        <>
          <span class="pill" data-status={judged.status}>
            {verdict}
          </span>{' '}
          {judged.title}{' '}
        </>
      )}
      {tainted === true && (
        <span class="pill" data-status="incomplete" title="It rests on something untrusted that an agent read.">
          Rests on untrusted content
        </span>
      )}{' '}
      {names.length === 0 ? 'No check was made of this answer.' : `Checks made: ${names.join(', ')}.`}
      {claims.length > 0 && ` Evidence of the run holds ${held} of ${plural(claims.length, 'statement')}.`}
    </div>
  )
}
