import type { ComponentChildren } from 'preact'
import { CopyButton } from '../parts/copy-button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { shortId } from '../parts/format.ts'
import { saveFile, saveRun } from '../parts/save-file.ts'
import { mayDo } from '../session/session.ts'
import { useAction } from '../session/use-action.ts'
import { UndoDialog } from './undo-dialog.tsx'

interface ActionsProps {
  runId: string
  /** The answer as it was written; empty where there is none. */
  text: string
  /** Whether the run changed files that this server can put back. */
  hasUndo: boolean
  /** What else one can do, after the others. */
  extra?: ComponentChildren
}

/** What one can take away from an answer: its text, the log of its run; and its changes of files, back. */
export function AnswerActions({ runId, text, hasUndo, extra }: ActionsProps) {
  const { act, isBusy, error } = useAction(() => saveRun(runId))
  return (
    <div class="answer-actions small">
      {text !== '' && (
        <>
          <CopyButton text={text} label="Copy" of="the answer" />
          <button
            type="button"
            class="plain"
            aria-label="Download the answer as Markdown"
            onClick={() => saveFile(`answer-${shortId(runId)}.md`, new Blob([text], { type: 'text/markdown' }))}
          >
            Download
          </button>
        </>
      )}
      <button type="button" class="plain" disabled={isBusy} onClick={() => void act()}>
        {isBusy ? 'Exporting…' : 'Export log'}
      </button>
      {hasUndo && mayDo('admin') && <UndoDialog runId={runId} />}
      {extra}
      <ErrorNote error={error} />
    </div>
  )
}
