import type { Consensus, Inspection, Reflection } from '@svc/sdk/remote'
import { JsonText } from '../../../parts/text.tsx'
import { seqOf } from '../../../state/outcome.ts'
import { Bar } from '../bar.tsx'

const percent = (share: number): string => `${Math.round(share * 100)} %`
const inWords = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const CHECK_SIGNS = { pass: '✓', fail: '✕', na: '–' } as const
const CHECK_STATES = { pass: 'completed', fail: 'failed', na: 'idle' } as const
const CLAIM_STATES = { supported: 'completed', contradicted: 'failed', unsupported: 'incomplete' } as const

function EventLink({ id, seq }: { id: string; seq: number }) {
  return <a href={`/console/runs/${id}/timeline?at=${seq}`}>event {seq}</a>
}

/** Whether the answer is good enough: check by check, claim by claim. */
export function ReflectionAnswer({ id, value }: { id: string; value: Reflection }) {
  const { verdict, score, confidence, checks, claims = [], retry } = value
  const asked = checks.filter(({ result }) => result !== 'na')
  const others = checks.filter(({ result }) => result === 'na')
  return (
    <div class="stage-answer">
      <p>
        <span class="big">{verdict}</span> with {percent(score)} of the checks passed, {percent(confidence)} sure.
      </p>
      {asked.length > 0 && (
        <ul class="findings">
          {asked.map(({ id: name, result, critical, evidence, by }) => (
            <li key={name} data-status={CHECK_STATES[result]}>
              <span class="sign" aria-hidden="true">
                {CHECK_SIGNS[result]}
              </span>
              <span>
                <strong>{name}</strong> {result === 'pass' ? 'passed' : 'failed'}
                {critical && ', critical'} <span class="soft">({by === 'rule' ? 'by rule' : 'by a model'})</span>
                {evidence !== undefined && <q class="quote">{evidence}</q>}
              </span>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && <p class="soft small">Did not apply: {others.map(({ id: name }) => name).join(', ')}.</p>}
      {claims.length > 0 && (
        <>
          <h4>What the answer says was done or read</h4>
          <ul class="findings">
            {claims.map(({ text, kind, verdict: found, evidence }) => (
              <li key={`${kind} ${text}`} data-status={CLAIM_STATES[found]}>
                <span class="sign" aria-hidden="true">
                  {found === 'supported' ? '✓' : found === 'contradicted' ? '✕' : '?'}
                </span>
                <span>
                  <strong>{found}</strong> <span class="soft">({kind})</span> <q class="quote">{text}</q>{' '}
                  {evidence.map(({ seq }) => seq !== undefined && <EventLink key={seq} id={id} seq={seq} />)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {retry !== undefined && (
        <p>
          <strong>Another try:</strong> {retry.reason} {retry.hint}
        </p>
      )}
    </div>
  )
}

/** Whether independent answers agree. */
export function ConsensusAnswer({ value }: { value: Consensus }) {
  const { decision, posterior, confidence, votes, effectiveVotes, clusters, stopReason } = value
  const heaviest = Math.max(...clusters.map(({ weight }) => weight))
  return (
    <div class="stage-answer">
      <p>
        <span class="big">{decision}</span> after {votes.length} votes ({STOPS[stopReason]}).
      </p>
      <ul class="gauges">
        <Bar label="leads (posterior)" value={posterior} of={1} text={percent(posterior)} />
        <Bar label="right (confidence)" value={confidence} of={1} text={percent(confidence)} />
      </ul>
      <p class="soft small">
        They count as {effectiveVotes.toFixed(1)} independent votes: answers of one model family are alike.
      </p>
      <h4>Answers that say the same</h4>
      <ul class="gauges">
        {clusters.map(({ canonical, voters, weight }) => (
          <Bar key={canonical} label={canonical} value={weight} of={heaviest} text={voters.join(', ')} />
        ))}
      </ul>
      <details>
        <summary>All votes</summary>
        <ul class="findings">
          {votes.map(({ voter, family, answer, rationale }) => (
            <li key={voter}>
              <span>
                <strong>{voter}</strong> <span class="soft">({family})</span>
                <JsonText value={inWords(answer)} label={`Answer of ${voter}`} />
                {rationale !== undefined && <span class="small">{rationale}</span>}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

const STOPS = {
  confident: 'that was enough to be sure',
  unreachable: 'more votes could not have decided it',
  max: 'the most that are asked for',
  budget: 'the budget ended it',
} as const
const SEVERITY_STATES = { info: 'idle', warn: 'incomplete', critical: 'failed' } as const

/** How the run went, and what was found wrong with it. */
export function InspectionAnswer({
  id,
  value: { grade, score, issues },
}: {
  id: string
  value: { grade: Inspection['grade'] | undefined; score: number | undefined; issues: Inspection['issues'] }
}) {
  return (
    <div class="stage-answer">
      <p>
        {grade === undefined ? 'Found so far:' : <span class="big">{grade}</span>}
        {score !== undefined &&
          ` at ${score.toFixed(2)} of 1.00. This is about how the run went, not about its answer.`}
      </p>
      {issues.length === 0 ? (
        <p class="soft">Nothing was found wrong.</p>
      ) : (
        <ul class="findings">
          {issues.map(({ id: issue, code, severity, message, fix, evidence, count, action }) => (
            <li key={issue} data-status={SEVERITY_STATES[severity]}>
              <span class="sign" aria-hidden="true">
                {severity === 'info' ? 'i' : '!'}
              </span>
              <span>
                {message} <span class="tiny mono soft">{code}</span>
                {count > 1 && ` Seen ${count} times.`}
                {fix !== undefined && <span class="small soft"> {fix}</span>}
                {action !== 'none' && <span class="small"> Done about it: {action}.</span>}{' '}
                {evidence.map((named) => {
                  const seq = seqOf(named, id)
                  return seq !== undefined && <EventLink key={named} id={id} seq={seq} />
                })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
