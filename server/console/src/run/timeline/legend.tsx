import type { SpanKind } from '../../state/spans.ts'
import { KINDS, Kind } from './kind.tsx'

/** What the bars mean. */
export function Legend() {
  return (
    <ul class="row span-legend tiny soft" aria-label="What the bars mean">
      {Object.entries(KINDS).map(([kind, { name }]) => (
        <li key={kind}>
          <Kind of={kind as SpanKind} />
          {name}
        </li>
      ))}
      <li>
        <span class="span-sample" data-failed="true" aria-hidden="true" />
        failed or refused
      </li>
      <li>
        <span class="span-sample" data-path="true" aria-hidden="true" />
        critical path
      </li>
    </ul>
  )
}
