import type { ForkPoint } from '@svc/core/client'
import { formatCount, plural } from '../../../parts/format.ts'

/** Where the fork begins, what it takes over and what is done anew. */
export function ForkPointNote({ point, isGiven }: { point: ForkPoint | undefined; isGiven: boolean }) {
  if (point === undefined)
    return (
      <p class="fork-point soft" role="status">
        Nothing is changed yet: choose what to change, and change it.
      </p>
    )
  const { atSeq, kept, anew } = point
  const parts = [
    kept.stages.join(', '),
    kept.modelCalls > 0 && plural(kept.modelCalls, 'model call'),
    kept.toolCalls > 0 && plural(kept.toolCalls, 'tool call'),
    kept.tokens > 0 && `${formatCount(kept.tokens)} tokens saved`,
  ].filter(Boolean)
  return (
    <div class="fork-point" role="status">
      <dl class="facts small">
        <dt>Begins</dt>
        <dd>
          after event {formatCount(atSeq)}
          {isGiven ? ', which you chose' : ', the last one that the change does not reach'}
        </dd>
        <dt>Kept</dt>
        <dd>{parts.join('; ') || 'nothing'}</dd>
        <dt>Done anew</dt>
        <dd>{anew.stages.length === 0 ? 'the end of the run' : anew.stages.join(', ')}</dd>
      </dl>
    </div>
  )
}
