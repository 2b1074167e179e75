import type { ShownState } from '@svc/core/client'
import type { ExecutionResult, Reflection } from '@svc/sdk/remote'
import { plural } from '../parts/format.ts'
import { EventLink } from '../parts/run-link.tsx'
import { signOf } from '../parts/status.tsx'
import { Taint } from './taint.tsx'

/** What a verdict means to a person. */
const VERDICTS = {
  pass: { status: 'completed', title: 'Evidence of this run holds every statement that can be checked.' },
  unverified: {
    status: 'queued',
    title: 'Nothing is refuted, but evidence of this run does not hold every statement.',
  },
  fail: { status: 'failed', title: 'Part of the answer is false, or was not done.' },
} as const

const CLAIM_STATES = { contradicted: 'failed', supported: 'completed', unsupported: 'queued' } as const
/** What is wrong stands first. */
const ORDER = Object.keys(CLAIM_STATES)

interface ChecksProps {
  runId: string
  result: Partial<ExecutionResult>
  stands: ShownState
  reflection: Reflection | undefined
}

/**
 * How far to trust an answer, in one line that names the checks it went through, since a verdict says no more than they do.
 * It opens into the statements of the answer, each with the events that hold it.
 */
export function Checks(props: ChecksProps) {
  const { tainted, taintedBy } = props.result
  return (
    <>
      <Made {...props} />
      {tainted === true && <Taint by={taintedBy ?? []} />}
    </>
  )
}

function Made({ runId, result, stands: { verdict }, reflection }: ChecksProps) {
  const judged = verdict && VERDICTS[verdict]
  const claims = [...(reflection?.claims ?? result.claims ?? [])].sort(
    (a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict),
  )
  const held = claims.filter(({ verdict: found }) => found === 'supported').length
  const line = (
    <>
      {judged !== undefined && (
        <>
          <span class="pill" data-status={judged.status}>
            {verdict}
          </span>{' '}
        </>
      )}
      <span>{sayChecks(reflection, claims.length > 0)}</span>
      {claims.length > 0 && (
        <span> Evidence of the run holds {`${held} of ${plural(claims.length, 'statement')}`}.</span>
      )}
    </>
  )
  if (judged === undefined || claims.length === 0) return <p class="answer-checks soft small">{line}</p>
  return (
    <details class="answer-checks soft small">
      <summary>{line}</summary>
      <p>{judged.title}</p>
      <ul class="answer-claims" tabIndex={0} aria-label="Statements of the answer">
        {claims.map(({ text, verdict: found, why, evidence }, index) => (
          <li key={index} data-status={CLAIM_STATES[found]}>
            <span class="sign" aria-hidden="true">
              {signOf(CLAIM_STATES[found] ?? '')}
            </span>
            <span>
              <span class="hidden-label">{found}: </span>
              {text}
              {why !== undefined && <span class="soft"> {why}</span>}{' '}
              {evidence.map(({ seq }) => seq !== undefined && <EventLink key={seq} id={runId} seq={seq} />)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** @param hasClaims whether its statements were held against the evidence, which is a check too */
function sayChecks(reflection: Reflection | undefined, hasClaims: boolean): string {
  const made = reflection?.checks.filter(({ result }) => result !== 'na') ?? []
  if (made.length === 0) return hasClaims ? '' : 'No check was made of this answer.'
  const names = made.map(
    ({ id, result, by }) => `${id}${by === 'llm' ? ' by a model' : ''}${result === 'fail' ? ': failed' : ''}`,
  )
  return `Checks made: ${names.join(', ')}.`
}
