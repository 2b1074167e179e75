import type { ShownState } from '@svc/core/client'

const SIGNS: Readonly<Record<string, string>> = {
  queued: '○',
  pending: '○',
  idle: '○',
  running: '●',
  cancelling: '●',
  waiting: '◆',
  completed: '✓',
  approved: '✓',
  incomplete: '◐',
  requested: '○',
  unanswered: '–',
  skipped: '–',
  expired: '–',
  cancelled: '✕',
  denied: '✕',
  failed: '✕',
}

/** The sign of how something stands. */
export const signOf = (status: string): string => SIGNS[status] ?? '○'

/** Where something stands, in a word, a sign and a colour. */
export function Status({ of, label = of }: { of: string; label?: string }) {
  return (
    <span class="status" data-status={of}>
      <span aria-hidden="true">{signOf(of)}</span> {label}
    </span>
  )
}

/** Where a run stands, as `shownStateOf` has it: one that nobody works on is not shown as at work. */
export function RunStatus({ stands, label = stands.text }: { stands: ShownState; label?: string }) {
  const { status, isAtWork } = stands
  const isStill = !isAtWork && (status === 'running' || status === 'cancelling')
  return <Status of={isStill ? 'idle' : status} label={label} />
}
