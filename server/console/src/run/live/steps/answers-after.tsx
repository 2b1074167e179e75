import type { Consensus, Inspection, Reflection } from '@svc/sdk/remote'
import { percent, toText } from '../../../parts/format.ts'
import { EventLink } from '../../../parts/run-link.tsx'
import { JsonText } from '../../../parts/text.tsx'
import { seqOf } from '../../../state/outcome.ts'
import { Finding, Findings } from '../findings.tsx'
import { Gauges } from '../gauges.tsx'

const CLAIM_STATES = { supported: 'completed', contradicted: 'failed', unsupported: 'incomplete' } as const

/** Whether the answer is good enough: check by check, claim by claim. */
export function ReflectionAnswer({ id, value }: { id: string; value: Reflection }) {
  const { verdict, score, confidence, checks, claims = [], retry } = value
  const asked = checks.filter(({ result }) => result !== 'na')
  const others = checks.filter(({ result }) => result === 'na')
  return (
    <>
      <p>
        <span class="big">{verdict}</span> with {percent(score)} of the checks passed, {percent(confidence)} sure.
      </p>
      <Findings>
        {asked.map(({ id: name, result, critical, evidence, by }) => (
          <Finding key={name} of={result === 'pass' ? 'completed' : 'failed'}>
            <strong>{name}</strong> {result === 'pass' ? 'passed' : 'failed'}
            {critical && ', critical'} <span class="soft">({by === 'rule' ? 'by rule' : 'by a model'})</span>
            {evidence !== undefined && <q class="quote">{evidence}</q>}
          </Finding>
        ))}
      </Findings>
      {others.length > 0 && <p class="soft small">Did not apply: {others.map(({ id: name }) => name).join(', ')}.</p>}
      {claims.length > 0 && (
        <>
          <h4>What the answer says was done or read</h4>
          <Findings>
            {claims.map(({ text, kind, verdict: found, evidence }) => (
              <Finding key={`${kind} ${text}`} of={CLAIM_STATES[found]}>
                <strong>{found}</strong> <span class="soft">({kind})</span> <q class="quote">{text}</q>{' '}
                {evidence.map(({ seq }) => seq !== undefined && <EventLink key={seq} id={id} seq={seq} />)}
              </Finding>
            ))}
          </Findings>
        </>
      )}
      {retry !== undefined && (
        <p>
          <strong>Another try:</strong> {retry.reason} {retry.hint}
        </p>
      )}
    </>
  )
}

/** Whether independent answers agree. */
export function ConsensusAnswer({ value }: { value: Consensus }) {
  const { decision, posterior, confidence, votes, effectiveVotes, clusters, stopReason } = value
  const heaviest = Math.max(...clusters.map(({ weight }) => weight))
  return (
    <>
      <p>
        <span class="big">{decision}</span> after {votes.length} votes ({STOPS[stopReason]}).
      </p>
      <Gauges
        gauges={[
          { label: 'leads (posterior)', value: posterior, of: 1, text: percent(posterior) },
          { label: 'right (confidence)', value: confidence, of: 1, text: percent(confidence) },
        ]}
      />
      <p class="soft small">
        They count as {effectiveVotes.toFixed(1)} independent votes: answers of one model family are alike.
      </p>
      <h4>Answers that say the same</h4>
      <Gauges
        gauges={clusters.map(({ canonical, voters, weight }) => ({
          label: canonical,
          value: weight,
          of: heaviest,
          text: voters.join(', '),
        }))}
      />
      <details>
        <summary>All votes</summary>
        <Findings>
          {votes.map(({ voter, family, answer, rationale }) => (
            <li key={voter}>
              <strong>{voter}</strong> <span class="soft">({family})</span>
              <JsonText value={toText(answer)} label={`Answer of ${voter}`} />
              <span class="small">{rationale}</span>
            </li>
          ))}
        </Findings>
      </details>
    </>
  )
}

const STOPS = {
  confident: 'that was enough to be sure',
  unreachable: 'more votes could not have decided it',
  max: 'the most that are asked for',
  budget: 'the budget ended it',
} as const
const SEVERITY_STATES = { info: 'idle', warn: 'incomplete', critical: 'failed' } as const

interface InspectionAnswerProps {
  id: string
  value: { grade: Inspection['grade'] | undefined; score: number | undefined; issues: Inspection['issues'] }
}

/** How the run went, and what was found wrong with it. */
export function InspectionAnswer({ id, value: { grade, score, issues } }: InspectionAnswerProps) {
  return (
    <>
      <p>
        {grade === undefined ? 'Found so far:' : <span class="big">{grade}</span>}
        {score !== undefined &&
          ` at ${score.toFixed(2)} of 1.00. This is about how the run went, not about its answer.`}
      </p>
      {issues.length === 0 && <p class="soft">Nothing was found wrong.</p>}
      <Findings>
        {issues.map(({ id: issue, code, severity, message, fix, evidence, count, action }) => (
          <Finding key={issue} of={SEVERITY_STATES[severity]}>
            {message} <span class="tiny mono soft">{code}</span>
            {count > 1 && ` Seen ${count} times.`}
            {fix !== undefined && <span class="small soft"> {fix}</span>}
            {action !== 'none' && <span class="small"> Done about it: {action}.</span>}{' '}
            {evidence.map((named) => {
              const seq = seqOf(named, id)
              return seq !== undefined && <EventLink key={named} id={id} seq={seq} />
            })}
          </Finding>
        ))}
      </Findings>
    </>
  )
}
