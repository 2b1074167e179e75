import type { Change } from '@svc/sdk/remote'
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
            <td class="before">{show(before)}</td>
            <td class="after">{show(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
