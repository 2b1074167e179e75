import { isMet, type Row } from './row.ts'

/** The rows as a table of text, remarks below. */
export function toTable(rows: readonly Row[]): string {
  const head = ['component', 'measure', 'n', 'baseline', 'ours', 'interval', 'aim', 'met']
  const lines = rows.map((row) => {
    const met = isMet(row)
    return [
      row.component,
      row.measure,
      String(row.n),
      row.baseline === null ? '-' : toFigure(row.baseline),
      toFigure(row.value),
      row.low === null || row.high === null ? '-' : `${toFigure(row.low)}–${toFigure(row.high)}`,
      row.aim === null ? '-' : `${row.better === 'less' ? '≤' : '≥'} ${toFigure(row.aim)}`,
      met === null ? '-' : met ? 'yes' : 'NO',
    ]
  })
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((cells) => cells[column]?.length ?? 0)))
  const print = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '-'.repeat(width))
  const notes = rows.flatMap(({ component, measure, note }) =>
    note === undefined ? [] : [`  ${component}, ${measure}: ${note}`],
  )
  return [print(head), print(rule), ...lines.map(print), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')
}

const toFigure = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(3))
