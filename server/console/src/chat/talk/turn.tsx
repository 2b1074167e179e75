import { isTerminal } from '@svc/core/client'
import { memo } from 'preact/compat'
import { useRef } from 'preact/hooks'
import { oneLine } from '../../parts/format.ts'
import { ViewBoundary } from '../../parts/view-boundary.tsx'
import { useAction } from '../../session/use-action.ts'
import type { Edit } from '../again/edit-message.tsx'
import { EndedTurn } from './ended-turn.tsx'
import { LiveTurn } from './live-turn.tsx'
import { PersonMessage } from './person-message.tsx'
import type { TurnActions } from './turn-actions.ts'
import type { Turn } from './turns.ts'

interface TurnViewProps {
  turn: Turn
  /** Whether it is the last one. */
  isNewest: boolean
  /** Whether it is the last one that has ended. */
  isNewestEnded: boolean
  /** Whether an earlier run of the conversation goes on. */
  isBehind: boolean
  /** Whether that run takes messages. */
  isBehindOpen: boolean
  /** Whether it goes on from a turn that stands before: its task is said there. */
  isMore: boolean
  /** Whether a run of the conversation goes on: nothing before it is sent again then. */
  isBusy: boolean
  /** What it does is always the newest, while turns are drawn anew where they change alone. */
  actions: { readonly current: TurnActions }
}

/** One run of a conversation: what was asked, what is done, and what was answered. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, isNewest, isNewestEnded, isBehind, isMore, isBusy, actions } = props
  const { asked, status, task } = turn
  const isEnded = isTerminal(status)
  const wasLive = useRef(false)
  wasLive.current ||= !isEnded
  if (asked?.summarizes === true && status === 'completed') return <Summary turn={turn} />
  const mayRepeat = isEnded && !isBusy && asked !== undefined && !asked.summarizes
  const again = mayRepeat ? (text: string) => actions.current.again(turn, text) : undefined
  const isQueued = status === 'queued' && isBehind
  return (
    <article class="chat-turn" data-run={turn.runId} aria-label={oneLine(task || 'Answer', 80)}>
      {isQueued ? (
        <Queued {...props} />
      ) : isMore ? (
        <p class="chat-more-note small soft">Gone on with</p>
      ) : (
        <PersonMessage turn={turn} edit={again && { ...AGAIN, onDo: again }} />
      )}
      <ViewBoundary of="This answer" at={`${turn.runId} ${status}`}>
        {isEnded ? (
          <EndedTurn
            turn={turn}
            isNewest={isNewest}
            isWatched={wasLive.current || isNewestEnded}
            isBusy={isBusy}
            onRetry={again && (() => again(asked?.content ?? ''))}
            actions={actions}
          />
        ) : (
          !isQueued && (
            <LiveTurn
              turn={turn}
              onEnd={() => actions.current.onEnd()}
              announce={(text) => actions.current.announce(text)}
            />
          )
        )}
      </ViewBoundary>
    </article>
  )
})

const AGAIN: Omit<Edit, 'onDo'> = {
  note: 'The conversation goes on from here as a new one. This one stays as it is.',
  doLabel: 'Send again',
}

/** A message that waits for its turn. */
function Queued({ turn, isBehindOpen, actions }: TurnViewProps) {
  const remove = useAction(() => actions.current.remove(turn))
  const say = useAction(() => actions.current.sayNow(turn))
  const error = remove.error ?? say.error
  const isBusy = remove.isBusy || say.isBusy
  const { context, files, summarizes = false } = turn.asked ?? {}
  const isPlain = context === undefined && files === undefined && !summarizes
  const edit: Edit = {
    note: 'It then waits behind what else waits.',
    doLabel: 'Save',
    onDo: (task) => actions.current.replace(turn, task),
  }
  return (
    <>
      <PersonMessage turn={turn} edit={summarizes ? undefined : edit}>
        {isBehindOpen && isPlain && (
          <button type="button" class="plain small" disabled={isBusy} onClick={() => void say.act()}>
            Send now
          </button>
        )}
        <button type="button" class="plain small" disabled={isBusy} onClick={() => void remove.act()}>
          Remove
        </button>
      </PersonMessage>
      <p class="chat-queued small soft" data-queued={turn.runId}>
        <span aria-hidden="true">○</span> Waits for its turn: it begins when the one before has ended.
        {error !== undefined && <span class="error-text">{error.message}</span>}
      </p>
    </>
  )
}

/** What stands for all that was said before, from then on. */
function Summary({ turn: { answer, runId } }: { turn: Turn }) {
  return (
    <details class="chat-summary" data-run={runId}>
      <summary class="small soft">What was said before is summed up for the model</summary>
      <div class="chat-aside">{answer?.content}</div>
    </details>
  )
}
