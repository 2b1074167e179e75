import { formatDate, formatDuration } from '../parts/format.ts'
import { clock } from '../session/clock.ts'

/** How long a call can still be answered; after that it counts as denied. */
export function Expiry({ at }: { at: string }) {
  const left = Date.parse(at) - clock.value
  if (left <= 0) return <span class="error-text">Expired: it counts as denied</span>
  return (
    <span class={left < 60_000 ? 'error-text' : 'soft'} title={`Counts as denied after ${formatDate(at)}`}>
      Expires in {formatDuration(Math.ceil(left / 1_000) * 1_000).replace('.0 s', ' s')}
    </span>
  )
}
