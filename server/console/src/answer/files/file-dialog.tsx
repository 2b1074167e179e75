import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { ViewBoundary } from '../../parts/view-boundary.tsx'
import { useLoad } from '../../session/use-load.ts'
import { FileContent } from './file-content.tsx'
import { FileDifference } from './file-difference.tsx'
import { isMarkdown, nameOf, type RunFile, textOf } from './run-files.ts'

export type FileView = 'content' | 'source' | 'difference'

const NAMES = { content: 'Content', source: 'Source', difference: 'Difference' } as const

interface FileDialogProps {
  runId: string
  file: RunFile
  /** What is shown first. */
  first: FileView
  onClose: () => void
}

/** A file as a run left it, and what it changed in it. */
export function FileDialog({ runId, file, first, onClose }: FileDialogProps) {
  const { path, artifactId = '' } = file
  const [view, setView] = useState(first)
  const {
    value: content,
    error,
    isLoading,
  } = useLoad(
    async (from, signal) => {
      const blob = await from.readArtifact(runId, artifactId, { all: true, signal })
      return { blob, text: await textOf(blob) }
    },
    [runId, artifactId],
  )
  const views: FileView[] = isMarkdown(path) ? ['content', 'source', 'difference'] : ['content', 'difference']
  return (
    <Dialog isOpen label={`File ${path}`} class="file-dialog" onClose={onClose}>
      <div class="stack tight">
        <header class="row">
          <h2 class="mono">{path}</h2>
          <span class="row spread">
            {content?.text !== undefined && <CopyButton text={content.text} label="Copy" of="the file" />}
            {content !== undefined && (
              <button type="button" class="plain small" onClick={() => saveFile(nameOf(path), content.blob)}>
                Download
              </button>
            )}
            <button type="button" class="plain small" onClick={onClose}>
              Close
            </button>
          </span>
        </header>
        <div class="row" role="group" aria-label="What is shown of the file">
          {views.map((each) => (
            <button key={each} type="button" class="small" aria-pressed={each === view} onClick={() => setView(each)}>
              {NAMES[each]}
            </button>
          ))}
          <span class="soft small">As the run left it. It may have been changed since.</span>
        </div>
        <ErrorNote error={error} />
        {isLoading && content === undefined && <p class="soft">Loading…</p>}
        {content !== undefined && (
          <ViewBoundary of="The file" at={view}>
            {view === 'difference' ? (
              <FileDifference runId={runId} file={file} after={content.text} />
            ) : (
              <FileContent file={file} blob={content.blob} text={content.text} isSource={view === 'source'} />
            )}
          </ViewBoundary>
        )}
      </div>
    </Dialog>
  )
}
