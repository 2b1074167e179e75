import { useLayoutEffect, useRef } from 'preact/hooks'
import { formatCount, formatDuration, formatShort } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import type { TimeWindow } from './axis.ts'
import { KINDS, Kind } from './kind.tsx'
import type { Row } from './rows.ts'

export interface SpanRowProps {
  row: Row
  time: TimeWindow
  now: number
  isOnPath: boolean
  isChosen: boolean
  /** The Tab key comes to it: one row of all is enough, arrows do the rest. */
  isReached: boolean
  /** Name of the agent that did it. */
  agent: string | undefined
  /** How the span stands. */
  status: string
  onChoose: () => void
  onFold: (isFolded: boolean) => void
}

/** One span: its name, its bar, and how long it took. */
export function SpanRow({
  row,
  time,
  now,
  isOnPath,
  isChosen,
  isReached,
  agent,
  status,
  onChoose,
  onFold,
}: SpanRowProps) {
  const { span, depth, children, isFolded } = row
  const { kind, label, startedAt, endedAt = now, tokens, retries } = span
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    // Keys move what has the focus along with what is chosen.
    if (isChosen && document.activeElement?.closest('.waterfall') != null)
      button.current?.focus({ preventScroll: true })
  }, [isChosen])
  const length = time.to - time.from
  const left = (Math.max(startedAt, time.from) - time.from) / length
  const right = (Math.min(endedAt, time.to) - time.from) / length
  const isInSight = endedAt >= time.from && startedAt <= time.to
  const isFailed = status === 'failed' || status === 'denied'
  return (
    <div class="span-line span-row" role="listitem" data-chosen={isChosen}>
      <span class="span-name" style={{ paddingInlineStart: `${depth * 14}px` }}>
        {children > 0 ? (
          <button
            type="button"
            class="fold"
            tabIndex={-1}
            aria-expanded={!isFolded}
            aria-label={`What is within ${label}`}
            onClick={() => onFold(!isFolded)}
          >
            {isFolded ? '▸' : '▾'}
          </button>
        ) : (
          <span class="fold" />
        )}
        <button
          ref={button}
          type="button"
          class="span-button"
          tabIndex={isReached ? 0 : -1}
          aria-current={isChosen ? 'true' : undefined}
          onClick={onChoose}
        >
          <Kind of={kind} />
          <span class="hidden-label">{KINDS[kind].name} </span>
          <span class="clip">{label}</span>
          {agent !== undefined && <span class="clip soft tiny">{agent}</span>}
          {isOnPath && <span class="hidden-label">, on the critical path</span>}
        </button>
      </span>
      <span class="track" onClick={onChoose} aria-hidden="true">
        {isInSight && (
          <span
            class="span-bar"
            data-kind={kind}
            data-failed={isFailed}
            data-open={status === 'running'}
            data-path={isOnPath}
            data-recorded={span.isRecorded}
            style={{
              left: `${left * 100}%`,
              width: `${Math.max(0, right - left) * 100}%`,
              '--kind': isFailed ? 'var(--failed)' : KINDS[kind].colour,
            }}
          />
        )}
      </span>
      <span class="row span-facts tiny number">
        {status !== 'completed' && <Status of={status} label={status === 'waiting' ? 'waits' : status} />}
        {retries > 0 && <span title={`tried again ${retries} times`}>↻{retries}</span>}
        <span>{span.isRecorded ? 'recorded' : formatDuration(endedAt - startedAt)}</span>
        <span class="span-tokens" title={`${formatCount(tokens)} tokens`}>
          {tokens > 0 ? `${formatShort(tokens)} tok` : ''}
        </span>
      </span>
    </div>
  )
}
