import { toShownText } from '@svc/core/client'
import type { AgentProfile } from '@svc/sdk/remote'
import { Table } from '../parts/table.tsx'
import { type AgentDraft, toAgentDraft } from './agent-input.ts'

interface ConflictProps {
  /** As it was when the form was opened. */
  was: AgentProfile
  theirs: AgentProfile
  mine: AgentDraft
  onTheirs: () => void
  onMine: () => void
}

/** Somebody has changed the profile meanwhile: both are shown, and a person chooses. */
export function Conflict({ was, theirs, mine, onTheirs, onMine }: ConflictProps) {
  const [before, after] = [toAgentDraft(was), toAgentDraft(theirs)]
  const names = (Object.keys(mine) as (keyof AgentDraft)[]).filter(
    (name) => after[name] !== mine[name] || before[name] !== after[name],
  )
  return (
    <div class="warning stack tight" role="alert">
      <p>
        <b>Somebody changed this agent since you opened it.</b> Nothing is saved yet: choose which stands.
      </p>
      <Table label="What differs" heads={['Field', 'Now saved', 'Yours']} class="changes">
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="before">{toShownText(after[name])}</td>
            <td class="after">{toShownText(mine[name])}</td>
          </tr>
        ))}
      </Table>
      <div class="row">
        <button type="button" onClick={onTheirs}>
          Take what is saved
        </button>
        <button type="button" class="danger" onClick={onMine}>
          Save mine over it
        </button>
      </div>
    </div>
  )
}
