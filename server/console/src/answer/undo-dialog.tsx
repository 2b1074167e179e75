import { toShownText } from '@svc/core/client'
import { useState } from 'preact/hooks'
import { FormDialog } from '../parts/dialog.tsx'
import { DiffText } from '../parts/diff-text.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { plural } from '../parts/format.ts'
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
  const { files = [], left = [], conflicts = [] } = value ?? {}
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
      {conflicts.length > 0 && (
        <Named title="Somebody changed these since. As long as that is so, nothing is undone:" items={conflicts} />
      )}
      {files.length > 0 && <p>What becomes of the files as they are now:</p>}
      {files.map(({ path, action, kind, diff }) => (
        <details key={path} open={files.length <= 3}>
          <summary>
            <span class="mono">{path}</span>{' '}
            <span class="soft">{action === 'remove' ? `the ${kind} is removed` : `the ${kind} is written`}</span>
          </summary>
          {diff === undefined ? (
            <p class="soft small">It is no text, or its difference is not kept.</p>
          ) : (
            <DiffText text={toShownText(diff)} label={`Difference of ${path}`} />
          )}
        </details>
      ))}
      {left.length > 0 && (
        <Named
          title="This stays as it is:"
          items={left.map(({ path, tool, why }) => ({ path: path ?? tool ?? 'something', why }))}
        />
      )}
    </FormDialog>
  )
}

function Named({ title, items }: { title: string; items: readonly { path: string; why: string }[] }) {
  return (
    <div class="warning">
      <p>{title}</p>
      <ul class="dotted">
        {items.map(({ path, why }, index) => (
          <li key={index}>
            <span class="mono">{path}</span>: {why}
          </li>
        ))}
      </ul>
    </div>
  )
}
