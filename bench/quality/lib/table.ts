import { toTable } from '../../table.mjs'
import { isMet, type Row } from './row.ts'

/** The rows as a table of text, remarks below. */
export function toQualityTable(rows: readonly Row[]): string {
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
  const [first = '', ...rest] = toTable(head, lines)
  const notes = rows.flatMap(({ component, measure, note }) =>
    note === undefined ? [] : [`  ${component}, ${measure}: ${note}`],
  )
  const rule = '-'.repeat(Math.max(...[first, ...rest].map(({ length }) => length)))
  return [first, rule, ...rest, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')
}

const toFigure = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(3))
