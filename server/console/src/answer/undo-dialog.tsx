import { useState } from 'preact/hooks'
import { FormDialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { plural } from '../parts/format.ts'
import { UndoPreview } from '../parts/undo-preview.tsx'
import { runtime } from '../session/session.ts'
import { useLoad } from '../session/use-load.ts'

/** Puts back what a run did to files: it shows the difference first, and asks. */
export function UndoDialog({ runId }: { runId: string }) {
  const [isOpen, setOpen] = useState(false)
  const [done, setDone] = useState('')
  return (
    <>
      <button type="button" class="plain" onClick={() => setOpen(true)}>
        Undo file changes…
      </button>
      <span class="soft" role="status">
        {done}
      </span>
      {isOpen && <Question runId={runId} onDone={setDone} onClose={() => setOpen(false)} />}
    </>
  )
}

interface QuestionProps {
  runId: string
  onDone: (said: string) => void
  onClose: () => void
}

function Question({ runId, onDone, onClose }: QuestionProps) {
  const { value, error, reload } = useLoad((from) => from.runs.undo(runId, { dryRun: true }), [runId])
  const { files = [], conflicts = [] } = value ?? {}
  const canDo = value !== undefined && files.length > 0 && conflicts.length === 0
  return (
    <FormDialog
      title="Undo the file changes of this run?"
      doLabel={canDo ? `Undo the changes of ${plural(files.length, 'file')}` : 'Close'}
      isDangerous={canDo}
      class="file-dialog"
      isOpen
      onClose={onClose}
      onDo={async () => {
        if (!canDo) return
        const { files: restored } = await runtime.value.runs.undo(runId)
        onDone(`Done: ${plural(restored.length, 'file')} put back as before this run.`)
      }}
    >
      <ErrorNote error={error} onRetry={reload} />
      {value === undefined && error === undefined && <p class="soft">Looking at the files…</p>}
      {value !== undefined && files.length === 0 && conflicts.length === 0 && (
        <p>There is nothing to undo: all that is known of it is as it was before the run.</p>
      )}
      {value !== undefined && <UndoPreview found={value} />}
    </FormDialog>
  )
}
