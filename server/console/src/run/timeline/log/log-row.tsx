import type { RunEvent } from '@svc/core/client'
import { formatClock } from '../../../parts/format.ts'
import { describeEvent } from './describe-event.ts'

const FAILURE = /\.(?:failed|denied|error|exhausted|expired)$/

interface LogRowProps {
  event: RunEvent
  isOpen: boolean
  /** It had not happened yet. */
  isLater: boolean
  onOpen: () => void
}

/** One event on one line. */
export function LogRow({ event, isOpen, isLater, onOpen }: LogRowProps) {
  return (
    <div class="log-row" role="listitem" data-later={isLater}>
      <button type="button" class="line" aria-expanded={isOpen} onClick={onOpen}>
        <span class="log-number number">{event.seq}</span>
        <time class="number" dateTime={event.time}>
          {formatClock(event.time)}
          <span class="soft">{event.time.slice(19, 23)}</span>
        </time>
        <span class={`mono tiny clip ${FAILURE.test(event.type) ? 'error-text' : ''}`}>{event.type}</span>
        <span class="clip soft">{event.agentId ?? event.stage ?? ''}</span>
        <span class="log-text clip">{describeEvent(event)}</span>
      </button>
    </div>
  )
}
