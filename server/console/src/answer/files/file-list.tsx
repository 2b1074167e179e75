import { useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/error-note.tsx'
import { formatCount } from '../../parts/format.ts'
import { saveFile } from '../../parts/save-file.ts'
import { runtime } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { FileDialog, type FileView } from './file-dialog.tsx'
import { nameOf, type RunFile } from './run-files.ts'

/** More files are shown when somebody wants them. */
const MOST_SHOWN = 10

interface FilesProps {
  runId: string
  files: readonly RunFile[]
}

/** The files of a run, each to be opened, compared with what it was, and saved. */
export function FileList({ runId, files }: FilesProps) {
  const [isWhole, setWhole] = useState(false)
  const [opened, setOpened] = useState<{ file: RunFile; view: FileView } | undefined>(undefined)
  const { act, error } = useAction(async ({ path, artifactId = '' }: RunFile) =>
    saveFile(nameOf(path), await runtime.value.readArtifact(runId, artifactId, { all: true })),
  )
  if (files.length === 0) return null
  const shown = isWhole ? files : files.slice(0, MOST_SHOWN)
  return (
    <section class="answer-files" aria-label="Files">
      <ul>
        {shown.map((file) => (
          <FileRow
            key={file.path}
            file={file}
            onOpen={(view) => setOpened({ file, view })}
            onSave={() => void act(file)}
          />
        ))}
      </ul>
      {shown.length < files.length && (
        <button type="button" class="plain small" onClick={() => setWhole(true)}>
          Show all {files.length} files
        </button>
      )}
      <ErrorNote error={error} />
      {opened !== undefined && (
        <FileDialog runId={runId} file={opened.file} first={opened.view} onClose={() => setOpened(undefined)} />
      )}
    </section>
  )
}

interface RowProps {
  file: RunFile
  onOpen: (view: FileView) => void
  onSave: () => void
}

function FileRow({ file, onOpen, onSave }: RowProps) {
  const { path, artifactId, change, from, added, removed, bytes } = file
  return (
    <li>
      {artifactId === undefined ? (
        <span class="mono path">{path}</span>
      ) : (
        <button type="button" class="plain mono path" aria-label={`Open ${path}`} onClick={() => onOpen('content')}>
          {path}
        </button>
      )}
      <span class="soft">
        {change}
        {from !== undefined && ` from ${from}`}
        {added !== undefined && removed !== undefined && (
          <>
            {' '}
            <span class="added">+{added}</span> <span class="removed">−{removed}</span>
          </>
        )}
        {change === undefined && bytes !== undefined && `${formatCount(bytes)} bytes`}
      </span>
      {artifactId !== undefined && (
        <span class="row spread">
          {change !== 'created' && (
            <button
              type="button"
              class="plain"
              aria-label={`Difference of ${path}`}
              onClick={() => onOpen('difference')}
            >
              Difference
            </button>
          )}
          <button type="button" class="plain" aria-label={`Download ${path}`} onClick={onSave}>
            Download
          </button>
        </span>
      )}
    </li>
  )
}
