import type { Change } from '@svc/sdk/remote'
import { useCut } from './text.tsx'
import './notes.css'

const show = (value: unknown): string =>
  value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)

interface Props {
  changes: readonly Change[]
  /** What stands above the two values. */
  names?: readonly [before: string, after: string]
}

/** What was changed, field by field. */
export function Changes({ changes, names: [before, after] = ['Before', 'After'] }: Props) {
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">{before}</th>
          <th scope="col">{after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, before, after }) => (
          <tr key={path}>
            <td>{path || '/'}</td>
            <Value of={before} tone="before" />
            <Value of={after} tone="after" />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Value({ of, tone }: { of: unknown; tone: 'before' | 'after' }) {
  const text = show(of)
  const { most, more } = useCut(text.length)
  return (
    <td class={tone}>
      {text.slice(0, most)}
      {more}
    </td>
  )
}
