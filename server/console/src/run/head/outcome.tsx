import type { ShownState } from '@svc/core/client'
import type { ExecutionResult, Reflection } from '@svc/sdk/remote'
import { Card } from '../../parts/card.tsx'
import { plural } from '../../parts/format.ts'
import { JsonText, LongText } from '../../parts/text.tsx'
import { cureOf } from '../../state/outcome.ts'
import { FactList } from './facts.tsx'

/** What a verdict means to a person. */
const VERDICTS = {
  pass: { status: 'completed', title: 'Evidence of this run holds every statement that can be checked.' },
  unverified: {
    status: 'queued',
    title: 'Nothing is refuted, but evidence of this run does not hold every statement.',
  },
  fail: { status: 'failed', title: 'Part of the answer is false, or was not done.' },
} as const

interface OutcomeProps {
  result: Partial<ExecutionResult>
  stands: ShownState
  /** What was checked; undefined where nothing was. */
  reflection: Reflection | undefined
}

/** What a run came to: its answer, how far to trust it, and what went wrong. */
export function Outcome({ result, stands, reflection }: OutcomeProps) {
  const { warnings = [], error, artifacts = [], output, tainted, facts } = result
  const { status, verdict, reason } = stands
  const judged = verdict && VERDICTS[verdict]
  // What failed says no more than its error.
  const summary = status === 'failed' ? '' : (result.summary ?? '')
  return (
    <Card
      class="outcome"
      title={status === 'completed' ? 'Answer' : summary === '' ? 'No answer' : 'What there is of an answer'}
      extra={
        <>
          {judged !== undefined && (
            <span class="pill" data-status={judged.status}>
              {verdict}
            </span>
          )}
          {tainted === true && (
            <span class="pill" data-status="incomplete" title="It rests on something untrusted that an agent read.">
              Rests on untrusted content
            </span>
          )}
          <span class="soft small">{judged?.title}</span>
        </>
      }
    >
      <div class="body stack">
        {error !== undefined && (
          <div class={status === 'failed' ? 'error-note' : 'soft'}>
            <div>
              <p>
                {error.message} <span class="tiny mono">{error.code}</span>
              </p>
              <p>{cureOf(error)}</p>
            </div>
          </div>
        )}
        {status === 'incomplete' && (
          <p>
            It is incomplete: <span class="mono">{reason}</span>. What is below is the best there is.
          </p>
        )}
        {summary === '' ? (
          error === undefined && <p class="soft">There is no answer.</p>
        ) : (
          <LongText text={summary} label="Text of the answer" tone="prose" />
        )}
        {summary !== '' && <Checks reflection={reflection} />}
        {warnings.length > 0 && (
          <ul class="warning stack tight">
            {warnings.map(({ code, message }) => (
              <li key={`${code} ${message}`}>
                {message} <span class="tiny mono soft">{code}</span>
              </li>
            ))}
          </ul>
        )}
        {facts !== undefined && <FactList facts={facts} />}
        {artifacts.length > 0 && (
          <ul class="row" aria-label="Files">
            {artifacts.map(({ id, name, mimeType, bytes }) => (
              <li key={id} class="pill">
                {name} <span class="soft">{`${mimeType}, ${bytes.toLocaleString('en')} bytes`}</span>
              </li>
            ))}
          </ul>
        )}
        {output !== undefined && (
          <details>
            <summary>Structured output</summary>
            <JsonText value={output} label="Structured output" />
          </details>
        )}
      </div>
    </Card>
  )
}

/** Which checks the answer went through: a verdict says no more than they do. */
function Checks({ reflection }: { reflection: Reflection | undefined }) {
  const made = reflection?.checks.filter(({ result }) => result !== 'na') ?? []
  const claims = reflection?.claims ?? []
  const held = claims.filter(({ verdict }) => verdict === 'supported').length
  const names = made.map(
    ({ id, result, by }) => `${id}${by === 'llm' ? ' by a model' : ''}${result === 'fail' ? ': failed' : ''}`,
  )
  return (
    <p class="soft small">
      {names.length === 0 ? 'No check was made of this answer.' : `Checks made: ${names.join(', ')}.`}
      {claims.length > 0 && ` Evidence of the run holds ${held} of ${plural(claims.length, 'statement')}.`}
    </p>
  )
}
