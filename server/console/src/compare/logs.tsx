import { useSignal } from '@preact/signals'
import type { RunEvent } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { Changes } from '../parts/changes.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { formatClock, plural } from '../parts/format.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import { readEvents } from '../session/read-events.ts'
import { type Loaded, useLoad } from '../session/use-load.ts'
import { diffEvents, diffLogs } from './diff-logs.ts'

/** Events before the one in which the logs part that are shown at first. */
const SHOWN_BEFORE = 6
const ROW_HEIGHT = 30

interface Props {
  ids: readonly [string, string]
  /** Number of the event of each side in which they part. */
  at: readonly [number, number]
}

/** The two logs side by side, up to the event in which they part, and what differs in it. */
export function Logs({ ids, at }: Props) {
  const isWhole = useSignal(false)
  const left = useLog(ids[0], at[0])
  const right = useLog(ids[1], at[1])
  const pairs = useMemo(
    () => (left.value === undefined || right.value === undefined ? [] : diffLogs(left.value, right.value, at)),
    [left.value, right.value, at[0], at[1]],
  )
  const retry = (): void => {
    left.reload()
    right.reload()
  }
  const parting = pairs.at(-1)
  const hidden = isWhole.value ? 0 : Math.max(0, pairs.length - 1 - SHOWN_BEFORE)
  return (
    <Card title="Where the logs part" note={`at event ${at[0]} of run A and event ${at[1]} of run B`}>
      <div class="body stack">
        <ErrorNote error={left.error ?? right.error} onRetry={retry} />
        <div class="row">
          {ids.map((id, side) => (
            <a key={side} class="button" href={`/console/runs/${id}/timeline?at=${at[side]}`}>
              Run {side === 0 ? 'A' : 'B'} at event {at[side]}
            </a>
          ))}
        </div>
        {parting !== undefined && (
          <div class="stack tight">
            {hidden > 0 && (
              <button type="button" class="plain small log-more" onClick={() => (isWhole.value = true)}>
                Show {plural(hidden, 'earlier event')}
              </button>
            )}
            <VirtualList
              label="Events of both runs, side by side"
              items={pairs.slice(hidden)}
              rowHeight={ROW_HEIGHT}
              height={360}
              showIndex={pairs.length - hidden - 1}
              row={(pair, index) => (
                <div key={index} role="listitem" class="log-pair" data-parting={pair === parting}>
                  <Side event={pair.left} isAlone={pair.right === undefined} />
                  <Side event={pair.right} isAlone={pair.left === undefined} />
                </div>
              )}
            />
            <h3>What differs in these events</h3>
            <Changes
              label="What differs in the events"
              changes={diffEvents(parting.left, parting.right)}
              names={['Run A', 'Run B']}
            />
          </div>
        )}
      </div>
    </Card>
  )
}

function Side({ event, isAlone }: { event: RunEvent | undefined; isAlone: boolean }) {
  if (event === undefined) return <span class="log-side" data-kind="none" />
  const { seq, type, stage, stepId, agentId, time } = event
  const place = [stage, stepId, agentId].filter((part) => part !== undefined).join(' · ')
  return (
    <span class="log-side clip" data-kind={isAlone ? 'alone' : 'both'} title={`${type} ${place}`}>
      <span class="number soft">{seq}</span> <b>{type}</b> <span class="soft">{place}</span>{' '}
      <time class="soft tiny" dateTime={time}>
        {formatClock(time)}
      </time>
    </span>
  )
}

/** The first events of a run; nothing is asked for none. */
const useLog = (id: string, count: number): Loaded<RunEvent[]> =>
  useLoad((_, signal) => readEvents(id, count, signal), [id, count])
