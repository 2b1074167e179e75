import { ApprovalCard } from '../../approvals/approval-card.tsx'
import { Card } from '../../parts/card.tsx'
import type { Wait } from '../../state/wait.ts'
import { InputForm } from './input-form.tsx'

/** What a run waits for from a person, and the way to give it. */
export function WaitPanel({ id, wait }: { id: string; wait: Wait }) {
  return (
    <Card class="wait-panel" title="It waits for you">
      <div class="body stack">
        {wait.approvals.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} onResolved={() => undefined} />
        ))}
        {wait.input !== undefined && <InputForm key={wait.input.prompt} id={id} input={wait.input} />}
      </div>
    </Card>
  )
}
