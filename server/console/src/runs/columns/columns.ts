import { signal } from '@preact/signals'

/** What a list may show of each run beside status and task: widths in pixels, in the order in which they stand. */
export const COLUMNS = [
  { id: 'verdict', name: 'Verdict', width: 76 },
  { id: 'folder', name: 'Folder', width: 130 },
  { id: 'model', name: 'Model', width: 160 },
  { id: 'topology', name: 'Topology', width: 104 },
  { id: 'mode', name: 'Mode', width: 64 },
  { id: 'agents', name: 'Agents', width: 54, isNumber: true },
  { id: 'tokens', name: 'Tokens', width: 64, isNumber: true },
  { id: 'cost', name: 'Cost', width: 72, isNumber: true },
  { id: 'duration', name: 'Duration', width: 84, isNumber: true },
  { id: 'started', name: 'Started', width: 112 },
  { id: 'key', name: 'Key', width: 96 },
  { id: 'tags', name: 'Tags', width: 140 },
] as const satisfies readonly { id: string; name: string; width: number; isNumber?: boolean }[]
export type ColumnId = (typeof COLUMNS)[number]['id']

/** What is shown where nobody has chosen. */
const USUAL: readonly ColumnId[] = ['verdict', 'model', 'agents', 'tokens', 'cost', 'duration', 'started', 'tags']
/** What gives way first where a window is not wide enough. */
const LEAST_WANTED: readonly ColumnId[] = [
  'tags',
  'key',
  'mode',
  'topology',
  'agents',
  'model',
  'folder',
  'tokens',
  'verdict',
  'started',
  'cost',
  'duration',
]

/** Of mark and status with what stands around them, and between two columns, in pixels. */
const FIXED = 20 + 112 + 28 + 2 * 12 + 34
const GAP = 12
/** What the task needs: more where nobody has chosen other columns. */
const TASK = { usual: 340, chosen: 160 }
const KEY = 'svc.columns'

/** Reads names of columns; undefined where none of them is one. */
export function readColumns(text: string | null | undefined): readonly ColumnId[] | undefined {
  const names = (text ?? '').split(',')
  const known = COLUMNS.map(({ id }) => id).filter((id) => names.includes(id))
  return known.length > 0 || text === 'none' ? known : undefined
}

export const writeColumns = (columns: readonly ColumnId[]): string => columns.join(',') || 'none'

/** The columns that a person has chosen in this browser; undefined: none were. */
export const chosenColumns = signal(readColumns(localStorage.getItem(KEY)))

/** @param columns undefined: the usual ones */
export function chooseColumns(columns: readonly ColumnId[] | undefined): void {
  chosenColumns.value = columns
  if (columns === undefined) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, writeColumns(columns))
}

/** The columns that are wanted. @param hasFolders whether runs of several folders are listed */
export const wantedColumns = (chosen: readonly ColumnId[] | undefined, hasFolders: boolean): readonly ColumnId[] =>
  chosen ?? COLUMNS.map(({ id }) => id).filter((id) => USUAL.includes(id) || (hasFolders && id === 'folder'))

/**
 * Those of the columns for which a window has room.
 *
 * @param width of the window, in pixels
 * @param isChosen whether a person has chosen them
 */
export function fitColumns(wanted: readonly ColumnId[], width: number, isChosen: boolean): readonly ColumnId[] {
  const shown = new Set(wanted)
  const needed = (): number =>
    COLUMNS.reduce(
      (sum, column) => sum + (shown.has(column.id) ? column.width + GAP : 0),
      FIXED + (isChosen ? TASK.chosen : TASK.usual),
    )
  for (const id of LEAST_WANTED) {
    if (needed() <= width) break
    shown.delete(id)
  }
  return wanted.filter((id) => shown.has(id))
}

/** How wide the columns of a row are, as CSS takes it. */
export function templateOf(columns: readonly ColumnId[]): string {
  const widthOf = ({ width }: { width: number }): string => `${width}px`
  const shown = COLUMNS.filter(({ id }) => columns.includes(id))
  const [verdict, others] = [shown.filter(({ id }) => id === 'verdict'), shown.filter(({ id }) => id !== 'verdict')]
  return ['20px', '112px', ...verdict.map(widthOf), 'minmax(0, 1fr)', ...others.map(widthOf)].join(' ')
}
