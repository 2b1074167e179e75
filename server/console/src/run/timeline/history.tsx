import type { ShownRun } from '../shown-run.ts'

/** Goes back to any event of the run. */
export function History({ shown: { live } }: { shown: ShownRun }) {
  return <p class="soft">{live.events.length} events</p>
}
