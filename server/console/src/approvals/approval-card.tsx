import { toShownPlace } from '@svc/core/client'
import { useState } from 'preact/hooks'
import { Facts } from '../parts/facts.tsx'
import { formatClock, formatDate, formatDuration, middleCut, toText } from '../parts/format.ts'
import { Risk } from '../parts/risk.tsx'
import { RunLink } from '../parts/run-link.tsx'
import { Status } from '../parts/status.tsx'
import { clock } from '../session/clock.ts'
import { Deciding } from '../session/deciding.tsx'
import { Decide, type DecideProps } from './decide.tsx'
import { askedAt, commandOf, RISKS, splitPreview } from './describe-approval.ts'
import { SeenText } from './seen-text.tsx'
import './approvals.css'

interface ApprovalCardProps extends Pick<DecideProps, 'approval'> {
  /** As of `Decide`; undefined: it is answered elsewhere. */
  onResolved: DecideProps['onResolved'] | undefined
}

/** A call that wants a person's word: what it would do, why it is asked about, and the answers. */
export function ApprovalCard({ approval, onResolved }: ApprovalCardProps) {
  const { id, tool, risk, args, preview, taint, reason, agentId, runId, status, expiresAt } = approval
  const { places, text, isDiff } = splitPreview(preview)
  const command = commandOf(args)
  const asked = askedAt(id)
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const see = (part: string) => (): void =>
    setSeen((before) => (before.has(part) ? before : new Set([...before, part])))
  const isSeen = (text === '' || seen.has('text')) && seen.has('arguments')
  const shownPlaces = places.map((place) => ({ ...place, text: middleCut(toShownPlace(place.text)) }))
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
            {shownPlaces.map(({ kind, text: place }, index) => (
              <li key={index}>
                <span class="soft small">{kind}</span> <code>{place}</code>
              </li>
            ))}
          </ul>
        )}
        {command !== undefined && (
          <ol class="row words" aria-label="Words of the command">
            {command.map((word, index) => (
              <li key={index}>
                <code>{word === '' ? '(empty)' : middleCut(toShownPlace(word))}</code>
              </li>
            ))}
          </ol>
        )}
        {text !== '' && (
          <section aria-label="What it would do">
            <h3>What it would do</h3>
            <SeenText text={text} label="Preview" isDiff={isDiff} onSeen={see('text')} />
          </section>
        )}
        <section aria-label="Exact arguments">
          <h3>Exact arguments</h3>
          <SeenText text={toText(args, 2)} label="Arguments" onSeen={see('arguments')} />
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
        {isOpen && onResolved !== undefined && (
          <Deciding scope="approve">
            <Decide approval={approval} places={shownPlaces} isSeen={isSeen} onResolved={onResolved} />
          </Deciding>
        )}
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
