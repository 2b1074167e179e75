import type { ForkPoint } from '@svc/core/client'
import { Facts } from '../../../parts/facts.tsx'
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
      <Facts
        of={[
          [
            'Begins',
            `after event ${formatCount(atSeq)}, ${isGiven ? 'which you chose' : 'the last one that the change does not reach'}`,
          ],
          ['Kept', parts.join('; ') || 'nothing'],
          ['Done anew', anew.stages.join(', ') || 'the end of the run'],
        ]}
      />
    </div>
  )
}
