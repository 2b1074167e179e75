import { KINDS } from './log/kinds.ts'

/** What the bars mean. */
export function Legend() {
  return (
    <ul class="row legend tiny soft" aria-label="What the bars mean">
      {Object.entries(KINDS).map(([kind, { sign, name }]) => (
        <li key={kind}>
          <span class="kind" data-kind={kind} aria-hidden="true">
            {sign}
          </span>
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
