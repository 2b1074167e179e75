import { DiffText } from '../parts/diff-text.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatClock, formatDate, formatDuration } from '../parts/format.ts'
import { Risk } from '../parts/risk.tsx'
import { RunLink } from '../parts/run-link.tsx'
import { Status } from '../parts/status.tsx'
import { JsonText, LongText } from '../parts/text.tsx'
import { clock } from '../session/clock.ts'
import { type ApprovalCardProps, Decide } from './decide.tsx'
import { askedAt, commandOf, RISKS, splitPreview } from './describe-approval.ts'
import './approvals.css'

interface CardProps extends Pick<ApprovalCardProps, 'approval'> {
  /** As of `Decide`; undefined: it is answered elsewhere. */
  onResolved: ApprovalCardProps['onResolved'] | undefined
}

/** A call that wants a person's word: what it would do, why it is asked about, and the answers. */
export function ApprovalCard({ approval, onResolved }: CardProps) {
  const { id, tool, risk, args, preview, taint, reason, agentId, runId, status, expiresAt } = approval
  const { places, text, isDiff } = splitPreview(preview)
  const command = commandOf(args)
  const asked = askedAt(id)
  const isOpen = status === 'pending'
  return (
    <article class="card approval" aria-label={`${tool}, ${status}`} data-approval={id}>
      <header>
        <h2 class="mono">{tool}</h2>
        <Risk of={risk} />
        <span class="soft small">{RISKS[risk]}</span>
        <span class="spread small">{isOpen ? <Expiry at={expiresAt} /> : <Status of={status} />}</span>
      </header>
      <div class="body stack">
        {taint.length > 0 && (
          <p class="warning">
            <strong>Has read untrusted content: {taint.join(', ')}.</strong> Words from there may have led the agent to
            this call. Look at what it would do, not at why it says so.
          </p>
        )}
        {places.length > 0 && (
          <ul class="places" aria-label="What it touches">
            {places.map(({ kind, text: place }) => (
              <li key={`${kind} ${place}`}>
                <span class="soft small">{kind}</span> <code>{place}</code>
              </li>
            ))}
          </ul>
        )}
        {command !== undefined && (
          <ol class="row words" aria-label="Words of the command">
            {command.map((word, index) => (
              <li key={index}>
                <code>{word === '' ? '(empty)' : word}</code>
              </li>
            ))}
          </ol>
        )}
        {text !== '' && (
          <section aria-label="What it would do">
            <h3>What it would do</h3>
            {isDiff ? <DiffText text={text} label="Preview" /> : <LongText text={text} label="Preview" />}
          </section>
        )}
        <section aria-label="Exact arguments">
          <h3>Exact arguments</h3>
          <JsonText value={args} label="Arguments" />
        </section>
        <Facts
          of={[
            ['Why you are asked', reason],
            ['Agent', agentId || '–'],
            [
              'Run',
              <>
                <RunLink id={runId} />
                {asked !== undefined && <span class="soft">, asked at {formatClock(asked)}</span>}
              </>,
            ],
          ]}
        />
        {isOpen && onResolved !== undefined && <Decide approval={approval} onResolved={onResolved} />}
      </div>
    </article>
  )
}

/** How long a call can still be answered; after that it counts as denied. */
function Expiry({ at }: { at: string }) {
  const left = Date.parse(at) - clock.value
  if (left <= 0) return <span class="error-text">Expired: it counts as denied</span>
  return (
    <span class={left < 60_000 ? 'error-text' : 'soft'} title={`Counts as denied after ${formatDate(at)}`}>
      Expires in {formatDuration(Math.ceil(left / 1_000) * 1_000).replace('.0 s', ' s')}
    </span>
  )
}
