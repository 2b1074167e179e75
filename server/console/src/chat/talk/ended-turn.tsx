import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy-button.tsx'
import { formatDuration, formatShort, tokensOf } from '../../parts/format.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { useLoad } from '../../session/use-load.ts'
import { Said } from '../steer/said.tsx'
import { Unread } from '../steer/unread.tsx'
import { useShown } from '../work/use-shown.ts'
import { Work } from '../work/work.tsx'
import { Ending } from './ending.tsx'
import { RunCard } from './run-card.tsx'
import type { TurnActions } from './turn-actions.ts'
import type { Turn } from './turns.ts'

interface EndedTurnProps {
  turn: Turn
  /** Whether it is the last of the conversation: what it did is shown at once. */
  isNewest: boolean
  /** Whether it is watched for what nobody has read: its end was seen here, or it is the last one that has ended. */
  isWatched: boolean
  /** Whether a run of the conversation goes on. */
  isBusy: boolean
  onRetry: (() => void) | undefined
  actions: { readonly current: TurnActions }
}

/** What a run came to; what was done is loaded when it is opened. */
export function EndedTurn({ turn, isNewest, isWatched, isBusy, onRetry, actions }: EndedTurnProps) {
  const { answer, run, runId } = turn
  const [isOpen, setOpen] = useState(false)
  const hasCard = isNewest || isOpen
  const isWanted = hasCard || isWatched
  const { value: whole } = useLoad(async ({ runs }) => (isWanted ? runs.get(runId) : undefined), [runId, isWanted])
  const retry = turn.status === 'completed' && onRetry !== undefined && (
    <button type="button" class="plain small" onClick={onRetry}>
      Try again
    </button>
  )
  return (
    <div class="chat-ended">
      {!isOpen &&
        turn.said.map((message) => (
          <Said key={message.id} message={message}>
            Said while it worked.
          </Said>
        ))}
      <button type="button" class="plain small chat-done" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="chat-fold" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        What was done
        {run?.finishedAt !== undefined && run.startedAt !== undefined && (
          <span class="soft number">
            {formatDuration(Date.parse(run.finishedAt) - Date.parse(run.startedAt))}
            {tokensOf(run.usage) > 0 && ` · ${formatShort(tokensOf(run.usage))} tokens`}
          </span>
        )}
      </button>
      {isOpen && <Done turn={turn} />}
      {answer !== undefined && <Markdown text={answer.content} level={2} />}
      {hasCard && <RunCard run={whole} extra={retry} />}
      {answer !== undefined && !hasCard && (
        <div class="chat-tools">
          <CopyButton text={answer.content} label="Copy" of="the answer" />
          {retry}
          {answer.tainted === true && (
            <span class="pill" data-status="incomplete" title="It rests on something untrusted that an agent read.">
              Rests on untrusted content
            </span>
          )}
        </div>
      )}
      <Ending
        turn={turn}
        onRetry={onRetry}
        onGoOn={isBusy ? undefined : (tokens) => actions.current.goOn(turn, tokens)}
      />
      {whole?.unread !== undefined && <Unread turn={turn} unread={whole.unread} actions={actions} />}
    </div>
  )
}

function Done({ turn }: { turn: Turn }) {
  return <Work shown={useShown(turn.runId, turn.run)} isLive={false} />
}
