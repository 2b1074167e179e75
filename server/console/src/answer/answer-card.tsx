import type { ShownState } from '@svc/core/client'
import type { ExecutionResult, Reflection } from '@svc/sdk/remote'
import type { ComponentChild, ComponentChildren } from 'preact'
import { toText } from '../parts/format.ts'
import { Markdown } from '../parts/markdown/markdown.tsx'
import { JsonText } from '../parts/text.tsx'
import { ViewBoundary } from '../parts/view-boundary.tsx'
import { cureOf } from '../state/outcome.ts'
import { AnswerActions } from './answer-actions.tsx'
import { Checks } from './checks.tsx'
import { FactList } from './facts.tsx'
import { FileList } from './files/file-list.tsx'
import { filesOf } from './files/run-files.ts'
import './answer.css'

/** The warning that no language model answered: nothing went wrong. */
const OFFLINE = 'offline_provider'
/** What a conversation says in a place of its own: where it names the model, and where what came too late stands. */
const SAID_ELSEWHERE: readonly string[] = [OFFLINE, 'message_unread']

interface AnswerProps {
  runId: string
  result: Partial<ExecutionResult>
  /** As `shownStateOf` has it. */
  stands: ShownState
  /** What was checked, as `reflection.completed` says it. Default that of the result. */
  reflection?: Reflection | undefined
  /** Whether the answer itself stands somewhere else, and what belongs to it is shown alone. Default false. */
  isShownAbove?: boolean
  /** Whether the run is one of this folder, so that its files can be put back. Default true. */
  isOurs?: boolean
  /** Stands after what one can do about an answer. */
  extra?: ComponentChildren
}

/** What a run came to: its answer, how far to trust it, what was done, and what went wrong. Without a frame or a title. */
export function AnswerCard({
  runId,
  result,
  stands,
  reflection = result.reflection,
  isShownAbove = false,
  isOurs = true,
  extra,
}: AnswerProps) {
  const { warnings = [], error, output, facts } = result
  const { status, reason } = stands
  // What failed says no more than its error.
  const text = status === 'failed' ? '' : toText(result.summary ?? '')
  const isOffline = warnings.some(({ code }) => code === OFFLINE)
  /** A part that fails leaves the others as they are. */
  const part = (of: string, draw: () => ComponentChild) => (
    <ViewBoundary of={of} at={runId}>
      <Drawn draw={draw} />
    </ViewBoundary>
  )
  return (
    <div class="answer stack tight">
      {error !== undefined && part('The error', () => <AnswerError error={error} isFailed={status === 'failed'} />)}
      {status === 'incomplete' && (
        <p>
          It is incomplete: <span class="mono">{reason}</span>. What is below is the best there is.
        </p>
      )}
      {text === '' && error === undefined && <p class="soft">There is no answer.</p>}
      {text !== '' &&
        !isShownAbove &&
        part('The answer', () => (
          <section aria-label="Text of the answer">
            <Markdown text={text} />
          </section>
        ))}
      {part('The files', () => (
        <FileList runId={runId} files={filesOf(result)} />
      ))}
      {part('What was checked', () =>
        text === '' ? null : <Checks runId={runId} result={result} stands={stands} reflection={reflection} />,
      )}
      {part('What was done', () => facts !== undefined && <FactList runId={runId} facts={facts} />)}
      {part('The warnings', () => (
        <Warnings of={warnings.filter(({ code }) => !(isShownAbove ? SAID_ELSEWHERE : [OFFLINE]).includes(code))} />
      ))}
      {isOffline && !isShownAbove && (
        <p class="soft small">No language model gave this answer: the offline provider did.</p>
      )}
      {output !== undefined && (
        <details>
          <summary>Structured output</summary>
          <JsonText value={output} label="Structured output" />
        </details>
      )}
      {part('What one can do', () => (
        <AnswerActions runId={runId} text={text} hasUndo={isOurs && (facts?.files.length ?? 0) > 0} extra={extra} />
      ))}
    </div>
  )
}

/** Draws inside of the boundary around it. */
const Drawn = ({ draw }: { draw: () => ComponentChild }) => <>{draw()}</>

function AnswerError({ error, isFailed }: { error: NonNullable<ExecutionResult['error']>; isFailed: boolean }) {
  return (
    <div class={isFailed ? 'error-note' : 'soft'}>
      <div>
        <p>
          {error.message} <span class="tiny mono">{error.code}</span>
        </p>
        <p>{cureOf(error)}</p>
      </div>
    </div>
  )
}

function Warnings({ of }: { of: ExecutionResult['warnings'] }) {
  if (of.length === 0) return null
  return (
    <ul class="warning stack tight">
      {of.map(({ code, message }) => (
        <li key={`${code} ${message}`}>
          {message} <span class="tiny mono soft">{code}</span>
        </li>
      ))}
    </ul>
  )
}

/** What a run did that came to no answer: its files, and the facts of its log. */
export function DoneWithoutAnswer({ runId, result }: Pick<AnswerProps, 'runId' | 'result'>) {
  return (
    <div class="answer stack tight">
      <FileList runId={runId} files={filesOf(result)} />
      {result.facts !== undefined && <FactList runId={runId} facts={result.facts} />}
    </div>
  )
}
