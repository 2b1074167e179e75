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
