import { isTerminal } from '@svc/core/client'
import { memo } from 'preact/compat'
import { oneLine } from '../../parts/format.ts'
import { ViewBoundary } from '../../parts/view-boundary.tsx'
import { useAction } from '../../session/use-action.ts'
import { EndedTurn } from './ended-turn.tsx'
import { LiveTurn } from './live-turn.tsx'
import { PersonMessage } from './person-message.tsx'
import type { Turn } from './turns.ts'

/** What can be done about the turns of a conversation. */
export interface TurnActions {
  again: (turn: Turn, task: string) => void
  goOn: (turn: Turn, addTokens: number) => Promise<void>
  takeBack: (turn: Turn) => Promise<void>
  onEnd: () => void
  announce: (text: string) => void
}

interface TurnViewProps {
  turn: Turn
  /** Whether it is the last one. */
  isNewest: boolean
  /** Whether an earlier run of the conversation goes on. */
  isBehind: boolean
  /** Whether it goes on from a turn that stands before: its task is said there. */
  isMore: boolean
  /** Whether a run of the conversation goes on: nothing before it is sent again then. */
  isBusy: boolean
  /** What it does is always the newest, while turns are drawn anew where they change alone. */
  actions: { readonly current: TurnActions }
}

/** One run of a conversation: what was asked, what is done, and what was answered. */
export const TurnView = memo(function TurnView({ turn, isNewest, isBehind, isMore, isBusy, actions }: TurnViewProps) {
  const { asked, status } = turn
  const isEnded = isTerminal(status)
  if (asked?.summarizes === true && status === 'completed') return <Summary turn={turn} />
  const mayRepeat = isEnded && !isBusy && asked !== undefined && !asked.summarizes
  const again = mayRepeat ? (task: string) => actions.current.again(turn, task) : undefined
  return (
    <article class="chat-turn" data-run={turn.runId} aria-label={oneLine(asked?.content ?? 'Answer', 80)}>
      {isMore ? <p class="chat-more-note small soft">Gone on with</p> : <PersonMessage turn={turn} onAgain={again} />}
      <ViewBoundary of="This answer" at={`${turn.runId} ${status}`}>
        {isEnded ? (
          <EndedTurn
            turn={turn}
            isNewest={isNewest}
            onRetry={again && (() => again(asked?.content ?? ''))}
            onGoOn={isBusy ? undefined : (tokens) => actions.current.goOn(turn, tokens)}
          />
        ) : status === 'queued' && isBehind ? (
          <Queued turn={turn} onTakeBack={() => actions.current.takeBack(turn)} />
        ) : (
          <LiveTurn
            turn={turn}
            onEnd={() => actions.current.onEnd()}
            announce={(text) => actions.current.announce(text)}
          />
        )}
      </ViewBoundary>
    </article>
  )
})

function Queued({ turn, onTakeBack }: { turn: Turn; onTakeBack: () => Promise<void> }) {
  const { act, isBusy, error } = useAction(onTakeBack)
  return (
    <div class="chat-queued small soft" data-queued={turn.runId}>
      <span aria-hidden="true">○</span> Waits for its turn: it begins when the one before has ended.
      <button type="button" class="small" disabled={isBusy} onClick={() => void act()}>
        Take back
      </button>
      {error !== undefined && <span class="error-text">{error.message}</span>}
    </div>
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
