import type { UndoResult } from '@svc/sdk/remote'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { plural } from '../../parts/format.ts'
import { UndoPreview } from '../../parts/undo-preview.tsx'
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
  const { files, conflicts } = found
  const put = useAction(onPutBack)
  const keep = useAction(async () => onKeep?.())
  const end = then === undefined ? '' : ` and ${then}`
  return (
    <Dialog isOpen label="Put files back" class="chat-put-back" onClose={onClose}>
      <div class="stack">
        <h2>Put back {plural(files.length, 'file')}?</h2>
        <UndoPreview found={found} />
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
