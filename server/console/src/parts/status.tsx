import './status.css'

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
  unanswered: '–',
  skipped: '–',
  expired: '–',
  cancelled: '✕',
  denied: '✕',
  failed: '✕',
}

/** Where something stands, in a word, a sign and a colour. */
export function Status({ of, label = of }: { of: string; label?: string }) {
  return (
    <span class="status" data-status={of}>
      <span aria-hidden="true">{SIGNS[of] ?? '○'}</span> {label}
    </span>
  )
}
