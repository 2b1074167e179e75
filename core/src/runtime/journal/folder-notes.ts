import { dirname, relative, resolve, sep } from 'node:path'
import type { StepRow } from '../../contracts/log/journal.ts'
import type { ToolCall } from '../../contracts/model/message.ts'
import type { FolderNotes } from '../../contracts/tool/folder-note.ts'

export const NO_NOTES: FolderNotes = { notes: [], warnings: [] }

/** Under which key a run records the notes that it begins with. */
export const NOTES_KEY = 'notes'

/** The notes that are recorded of a run; undefined where none are. */
export const recordedNotes = (steps: readonly StepRow[]): FolderNotes | undefined =>
  steps.find(({ key }) => key === NOTES_KEY)?.outcome as FolderNotes | undefined

/** Tools that read or write one file. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['read_file', 'edit_file', 'write_file'])

/** The folder below the workspace that a call works in, with `/`; undefined where there is none, or it is the workspace. */
export function folderOfCall({ tool, args }: Pick<ToolCall, 'tool' | 'args'>, workspace: string): string | undefined {
  const { path } = (FILE_TOOLS.has(tool) && typeof args === 'object' && args !== null ? args : {}) as { path?: unknown }
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  const folder = dirname(relative(workspace, resolve(workspace, path)))
    .split(sep)
    .join('/')
  return folder === '.' || folder.startsWith('..') || folder.includes(':') ? undefined : folder
}
