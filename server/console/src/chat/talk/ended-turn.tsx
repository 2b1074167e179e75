import { useState } from 'preact/hooks'
import { formatDuration, formatShort, tokensOf } from '../../parts/format.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { useShown } from '../work/use-shown.ts'
import { Work } from '../work/work.tsx'
import { Ending } from './ending.tsx'
import { RunCard } from './run-card.tsx'
import type { Turn } from './turns.ts'

interface EndedTurnProps {
  turn: Turn
  /** Whether it is the last of the conversation: what it did is shown at once. */
  isNewest: boolean
  onRetry: (() => void) | undefined
  onGoOn: ((addTokens: number) => Promise<void>) | undefined
}

/** What a run came to; what was done is loaded when it is opened. */
export function EndedTurn({ turn, isNewest, onRetry, onGoOn }: EndedTurnProps) {
  const { answer, run } = turn
  const [isOpen, setOpen] = useState(false)
  return (
    <div class="chat-ended">
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
      {(isNewest || isOpen) && <RunCard runId={turn.runId} />}
      {answer !== undefined && (
        <AnswerTools
          text={isNewest || isOpen ? undefined : answer.content}
          isTainted={answer.tainted === true && !isNewest && !isOpen}
          onRetry={turn.status === 'completed' ? onRetry : undefined}
        />
      )}
      <Ending turn={turn} onRetry={onRetry} onGoOn={onGoOn} />
    </div>
  )
}

function Done({ turn }: { turn: Turn }) {
  return <Work shown={useShown(turn.runId, turn.run)} isLive={false} />
}

interface AnswerToolsProps {
  /** Undefined where the card of the answer has a button to copy it. */
  text: string | undefined
  isTainted: boolean
  onRetry: (() => void) | undefined
}

/** What one does with an answer. */
function AnswerTools({ text, isTainted, onRetry }: AnswerToolsProps) {
  const [copied, setCopied] = useState('')
  return (
    <div class="chat-tools">
      {text !== undefined && (
        <button
          type="button"
          class="plain small"
          onClick={() =>
            void navigator.clipboard.writeText(text).then(
              () => setCopied('Copied'),
              () => setCopied('The browser does not let this page copy'),
            )
          }
        >
          Copy
        </button>
      )}
      {onRetry !== undefined && (
        <button type="button" class="plain small" onClick={onRetry}>
          Try again
        </button>
      )}
      <span role="status" class="tiny soft">
        {copied}
      </span>
      {isTainted && (
        <span class="pill" data-status="incomplete" title="It rests on something untrusted that an agent read.">
          Rests on untrusted content
        </span>
      )}
    </div>
  )
}
