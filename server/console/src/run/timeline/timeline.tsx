import type { ShownRun } from '../shown-run.ts'

/** What happened when. */
export function Timeline({ shown: { state } }: { shown: ShownRun }) {
  return <p>{state.spans.all.length} spans</p>
}
