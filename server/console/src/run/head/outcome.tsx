import type { ExecutionResult } from '@svc/sdk/remote'
import { JsonText, LongText } from '../../parts/text.tsx'
import { cureOf } from '../../state/outcome.ts'

/** What a verdict means to a person. */
const VERDICTS = {
  pass: { label: 'Checked', status: 'completed', title: 'What could be checked of the answer is right.' },
  unverified: { label: 'Not verified', status: 'queued', title: 'There was nothing to check the answer by.' },
  fail: { label: 'Found wrong', status: 'failed', title: 'Part of the answer is false, or was not done.' },
} as const

/** What a run came to: its answer, how far to trust it, and what went wrong. */
export function Outcome({ result }: { result: Partial<ExecutionResult> }) {
  const { summary = '', verdict, warnings = [], error, incomplete, artifacts = [], output, tainted } = result
  const judged = verdict && VERDICTS[verdict]
  const cure = error && cureOf(error)
  return (
    <section class="card outcome" aria-labelledby="outcome-title">
      <header>
        <h2 id="outcome-title">{result.status === 'completed' ? 'Answer' : 'What there is of an answer'}</h2>
        {judged !== undefined && (
          <span class="pill" data-status={judged.status} title={judged.title}>
            {judged.label}
          </span>
        )}
        {tainted === true && (
          <span class="pill" data-status="incomplete" title="It rests on something untrusted that an agent read.">
            Rests on untrusted content
          </span>
        )}
        {judged !== undefined && <span class="soft small">{judged.title}</span>}
      </header>
      <div class="body stack">
        {error !== undefined && (
          <div class="error-note">
            <div>
              <p>
                {error.message} <span class="tiny mono">{error.code}</span>
              </p>
              {cure !== undefined && <p>{cure}</p>}
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
          <ul class="warnings">
            {warnings.map(({ code, message }) => (
              <li key={`${code} ${message}`}>
                {message} <span class="tiny mono soft">{code}</span>
              </li>
            ))}
          </ul>
        )}
        {artifacts.length > 0 && (
          <ul class="row" aria-label="Files">
            {artifacts.map(({ id, name, mimeType, bytes }) => (
              <li key={id} class="run-chip">
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
    </section>
  )
}
