import { formatCount } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import type { Series } from './series.ts'

interface CostTableProps {
  label: string
  series: readonly Series[]
  periods: readonly string[]
  nameOf: (series: Series) => string
  periodName: (start: string) => string
  format: (value: number) => string
  per: string
}

/** What the chart shows, in figures: the newest period first. */
export function CostTable({ label, series, periods, nameOf, periodName, format, per }: CostTableProps) {
  const sum = (index: number): number => series.reduce((all, { values }) => all + (values[index] ?? 0), 0)
  const rows = periods.map((start, index) => ({ start, index })).reverse()
  const shown = rows.filter(({ index }) => series.some(({ values }) => (values[index] ?? 0) > 0))
  const cell = (value: number): string => (value === 0 ? '–' : format(value))
  return (
    <>
      <Table
        label={label}
        heads={[
          per,
          ...series.map((one) => ({ number: nameOf(one), title: one.name })),
          ...(series.length > 1 ? [{ number: 'Together' }] : []),
        ]}
      >
        {shown.map(({ start, index }) => (
          <tr key={start}>
            <th scope="row">
              <time dateTime={start}>{periodName(start)}</time>
            </th>
            {series.map(({ name, values }) => (
              <td key={name} class="number">
                {cell(values[index] ?? 0)}
              </td>
            ))}
            {series.length > 1 && <td class="number strong">{cell(sum(index))}</td>}
          </tr>
        ))}
      </Table>
      {shown.length < periods.length && shown.length > 0 && (
        <p class="tiny soft none">
          {formatCount(periods.length - shown.length)} of {formatCount(periods.length)} {per.toLowerCase()}s had
          nothing.
        </p>
      )}
    </>
  )
}
