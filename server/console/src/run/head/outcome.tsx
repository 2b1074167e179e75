import type { ExecutionResult } from '@svc/sdk/remote'
import { Card } from '../../parts/card.tsx'
import { JsonText, LongText } from '../../parts/text.tsx'
import { cureOf } from '../../state/outcome.ts'
import { FactList } from './facts.tsx'

/** What a verdict means to a person. */
const VERDICTS = {
  pass: { label: 'Checked', status: 'completed', title: 'What could be checked of the answer is right.' },
  unverified: { label: 'Not verified', status: 'queued', title: 'There was nothing to check the answer by.' },
  fail: { label: 'Found wrong', status: 'failed', title: 'Part of the answer is false, or was not done.' },
} as const

/** What a run came to: its answer, how far to trust it, and what went wrong. */
export function Outcome({ result }: { result: Partial<ExecutionResult> }) {
  const { summary = '', verdict, warnings = [], error, incomplete, artifacts = [], output, tainted, facts } = result
  // Of what failed there is no answer that could be right or wrong.
  const judged = error === undefined && verdict !== undefined ? VERDICTS[verdict] : undefined
  const cure = error && cureOf(error)
  return (
    <Card
      class="outcome"
      title={result.status === 'completed' ? 'Answer' : 'What there is of an answer'}
      extra={
        <>
          {judged !== undefined && (
            <span class="pill" data-status={judged.status}>
              {judged.label}
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
          <div class="error-note">
            <div>
              <p>
                {error.message} <span class="tiny mono">{error.code}</span>
              </p>
              <p>{cure}</p>
            </div>
          </div>
        )}
        {incomplete !== undefined && (
          <p>
            It stopped early: <span class="mono">{incomplete.reason}</span>. What is below is the best there is.
          </p>
        )}
        {summary === '' ? (
          error === undefined && <p class="soft">There is no answer.</p>
        ) : (
          <LongText text={summary} label="Text of the answer" tone="prose" />
        )}
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
