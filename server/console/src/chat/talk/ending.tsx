import { ErrorNote } from '../../parts/error-note.tsx'
import { formatCount } from '../../parts/format.ts'
import { MORE_TOKENS } from '../../run/head/go-on.tsx'
import { mayDo } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { endingOf } from './ending-words.ts'
import type { Turn } from './turns.ts'

interface EndingProps {
  turn: Turn
  onRetry: (() => void) | undefined
  onGoOn: ((addTokens: number) => Promise<void>) | undefined
}

/** Why a run did not complete, in plain words, and what to do next. */
export function Ending({ turn, onRetry, onGoOn }: EndingProps) {
  const ending = endingOf(turn)
  const { act, isBusy, error } = useAction(async (tokens: number) => onGoOn?.(tokens))
  if (ending === undefined) return null
  const { text, next, code, needsTokens, tone } = ending
  const wasBegun = turn.run === undefined || turn.run.startedAt !== undefined
  const adds = needsTokens && mayDo('admin')
  return (
    <div class="chat-ending" data-tone={tone}>
      <p>
        {text} {code !== undefined && <span class="tiny mono soft">{code}</span>}
      </p>
      {next !== undefined && <p class="small">{next}</p>}
      <ErrorNote error={error} />
      <div class="row">
        {onGoOn !== undefined && wasBegun && (
          <button type="button" disabled={isBusy} onClick={() => void act(adds ? MORE_TOKENS : 0)}>
            {adds ? `Go on with ${formatCount(MORE_TOKENS)} tokens more` : 'Go on'}
          </button>
        )}
        {onRetry !== undefined && (
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        )}
      </div>
    </div>
  )
}
