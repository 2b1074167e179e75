import { useSignal } from '@preact/signals'
import type { Approval } from '@svc/sdk/remote'
import { useEffect } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { ApprovalCard } from './approval-card.tsx'
import { ApprovalHistory } from './approval-history.tsx'
import { pendingCalls, reloadPending } from './pending.ts'
import { PolicyView } from './policy-view.tsx'

const TABS = [
  ['/console/approvals', 'Waiting'],
  ['/console/approvals/history', 'History'],
  ['/console/approvals/policy', 'Policy in force'],
] as const

/** What waits for a person, what was decided, and the rules that ask. */
export function Approvals() {
  const { id = '' } = useRoute().params
  useViewTitle('Approvals')
  return (
    <div class="stack">
      <h1>Approvals</h1>
      <Tabs label="Views of approvals" tabs={TABS} current={`/console/approvals${id && `/${id}`}`} />
      <View id={id} />
    </div>
  )
}

function View({ id }: { id: string }) {
  if (id === 'policy') return <PolicyView />
  if (id === 'history') return <ApprovalHistory />
  return id.startsWith('apr_') ? <OneApproval key={id} id={id} /> : <Queue />
}

/** The calls that wait, the oldest first. */
function Queue() {
  const last = useSignal('')
  const { value: calls } = pendingCalls
  useEffect(() => void reloadPending(), [])
  return (
    <>
      <p role="status" class="small soft answered">
        {last.value}
      </p>
      {calls === undefined && <p class="empty">Asking the server…</p>}
      {calls?.length === 0 && (
        <p class="empty">
          Nothing waits for you. A run that is started with “wait for approval” asks here before it uses a tool that the{' '}
          <a href="/console/approvals/policy">policy</a> asks about.
        </p>
      )}
      {calls?.map((approval) => (
        <ApprovalCard
          key={approval.id}
          approval={approval}
          onResolved={(answered) => (last.value = said(approval, answered))}
        />
      ))}
    </>
  )
}

/** One call by its id, also when it was decided long ago. */
function OneApproval({ id }: { id: string }) {
  const { value, error, reload } = useLoad((from) => from.approvals.get(id), [id], { everyMs: 3_000 })
  const answered = useSignal<Approval | undefined>(undefined)
  const shown = answered.value ?? value
  return (
    <>
      <ErrorNote error={error} onRetry={reload} />
      {shown !== undefined && (
        <ApprovalCard
          key={shown.id}
          approval={shown}
          onResolved={(now) => {
            answered.value = now
            reload()
          }}
        />
      )}
      <p>
        <a class="button" href="/console/approvals">
          All that wait
        </a>
      </p>
    </>
  )
}

const said = ({ tool }: Approval, answered: Approval | undefined): string => {
  if (answered === undefined) return `${tool} had been decided already.`
  const { status, rulesFile } = answered
  return `${tool}: ${status}.${rulesFile === undefined ? '' : ` The rule was added to ${rulesFile}.`}`
}
