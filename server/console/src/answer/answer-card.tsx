import type { ShownState } from '@svc/core/client'
import type { ExecutionResult, Reflection } from '@svc/sdk/remote'
import { Markdown } from '../parts/markdown/markdown.tsx'
import { JsonText } from '../parts/text.tsx'
import { cureOf } from '../state/outcome.ts'
import { Checks } from './checks.tsx'
import { FactList } from './facts.tsx'
import './answer.css'

interface AnswerProps {
  runId: string
  result: Partial<ExecutionResult>
  /** As `shownStateOf` has it. */
  stands: ShownState
  /** What was checked, as `reflection.completed` says it; undefined where nothing was, or where it is not known. */
  reflection: Reflection | undefined
  /** Whether the answer itself stands somewhere else, and what belongs to it is shown alone. Default false. */
  isShownAbove?: boolean
}

/** What a run came to: its answer, how far to trust it, what was done, and what went wrong. Without a frame or a title. */
export function AnswerCard({ result, stands, reflection, isShownAbove = false }: AnswerProps) {
  const { warnings = [], error, artifacts = [], output, facts } = result
  const { status, reason } = stands
  // What failed says no more than its error.
  const summary = status === 'failed' ? '' : (result.summary ?? '')
  return (
    <div class="answer stack tight">
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
      {summary === ''
        ? error === undefined && <p class="soft">There is no answer.</p>
        : !isShownAbove && <Markdown text={summary} />}
      {summary !== '' && <Checks result={result} stands={stands} reflection={reflection} />}
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
  )
}
