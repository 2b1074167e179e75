import type { UndoResult } from '@svc/sdk/remote'
import { Dialog } from '../../parts/dialog.tsx'
import { DiffText } from '../../parts/diff-text.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { plural } from '../../parts/format.ts'
import { useAction } from '../../session/use-action.ts'

interface PutBackDialogProps {
  found: UndoResult
  /** What happens next, on the buttons: `send again`. */
  then: string | undefined
  onPutBack: () => Promise<void>
  /** Goes on without. */
  onKeep: (() => Promise<void>) | undefined
  onClose: () => void
}

/** Shows what putting files back would change, and asks. */
export function PutBackDialog({ found, then, onPutBack, onKeep, onClose }: PutBackDialogProps) {
  const { files, left, conflicts } = found
  const put = useAction(onPutBack)
  const keep = useAction(async () => onKeep?.())
  const end = then === undefined ? '' : ` and ${then}`
  return (
    <Dialog isOpen label="Put files back" class="chat-put-back" onClose={onClose}>
      <div class="stack">
        <h2>Put back {plural(files.length, 'file')}?</h2>
        {files.length > 0 && (
          <p class="soft">These were changed by what is taken back. This is what putting them back changes:</p>
        )}
        <ul class="stack tight">
          {files.map(({ path, action, kind, diff }) => (
            <li key={path}>
              <details open={files.length <= 3}>
                <summary>
                  <code>{path}</code>{' '}
                  <span class="soft small">{action === 'remove' ? `${kind} is removed` : `${kind} is written`}</span>
                </summary>
                {diff === undefined ? (
                  <p class="soft small">No difference can be shown.</p>
                ) : (
                  <DiffText text={diff} label={`Difference of ${path}`} />
                )}
              </details>
            </li>
          ))}
        </ul>
        {conflicts.length > 0 && (
          <div class="warning">
            <p>Somebody changed these since, so nothing can be put back:</p>
            <ul>
              {conflicts.map(({ path, why }) => (
                <li key={path}>
                  <code>{path}</code>: {why}
                </li>
              ))}
            </ul>
          </div>
        )}
        {left.length > 0 && (
          <details>
            <summary class="small">{plural(left.length, 'change')} cannot be put back</summary>
            <ul class="small">
              {left.map(({ path, tool, why }, index) => (
                <li key={index}>
                  <code>{path ?? tool ?? 'a call'}</code>: {why}
                </li>
              ))}
            </ul>
          </details>
        )}
        <ErrorNote error={put.error ?? keep.error} />
        <div class="row">
          <button
            type="button"
            class="primary"
            disabled={put.isBusy || keep.isBusy || conflicts.length > 0 || files.length === 0}
            onClick={() => void put.act()}
          >
            Put back{end}
          </button>
          {onKeep !== undefined && (
            <button type="button" disabled={put.isBusy || keep.isBusy} onClick={() => void keep.act()}>
              Keep the files{end}
            </button>
          )}
          <button type="button" class="plain" onClick={onClose}>
            Back
          </button>
        </div>
      </div>
    </Dialog>
  )
}
