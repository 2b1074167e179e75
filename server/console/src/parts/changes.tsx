import type { Change } from '@svc/sdk/remote'
import { toText } from './format.ts'
import { Table } from './table.tsx'
import { useCut } from './text.tsx'

interface Props {
  label: string
  changes: readonly Change[]
  /** What stands above the two values. */
  names?: readonly [before: string, after: string]
}

/** What was changed, field by field. */
export function Changes({ label, changes, names = ['Before', 'After'] }: Props) {
  return (
    <Table label={label} heads={['Field', ...names]} class="changes">
      {changes.map(({ path, before, after }) => (
        <tr key={path}>
          <td>{path || '/'}</td>
          <Value of={before} tone="before" />
          <Value of={after} tone="after" />
        </tr>
      ))}
    </Table>
  )
}

function Value({ of, tone }: { of: unknown; tone: 'before' | 'after' }) {
  // What only the other side has.
  const text = of === null || of === undefined ? '–' : toText(of, 1)
  const { most, more } = useCut(text.length)
  return (
    <td class={tone}>
      {text.slice(0, most)}
      {more}
    </td>
  )
}
