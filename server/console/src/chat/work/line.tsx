import { Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { Status, signOf } from '../../parts/status.tsx'
import type { ShownRun } from '../../run/shown-run.ts'
import type { WorkLine } from './lines.ts'

// What is looked into later is loaded later.
const CallDetails = lazy(() => import('./call-details.tsx'))

/** One thing that was done; opens to its calls. */
export function Line({ line: { text, status, said, seqs }, shown }: { line: WorkLine; shown: ShownRun }) {
  const [isOpen, setOpen] = useState(false)
  const isPlain = status === 'completed' || status === 'running'
  return (
    <li class="chat-line" data-status={status}>
      {said !== '' && <p class="chat-aside">{said}</p>}
      <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="status" data-status={status} aria-hidden="true">
          <span>{signOf(status)}</span>
        </span>
        <span class="clip">{text}</span>
        {!isPlain && <Status of={status} label={LABELS[status] ?? status} />}
        <span class="chat-fold" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
      </button>
      {isOpen && (
        <Suspense fallback={<p class="soft small">Loading…</p>}>
          <CallDetails shown={shown} seqs={seqs} />
        </Suspense>
      )}
    </li>
  )
}

const LABELS: Readonly<Record<string, string>> = { waiting: 'waits', requested: 'asked for' }
