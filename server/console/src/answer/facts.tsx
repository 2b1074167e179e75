import type { ExecutionResult } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { EventLink } from '../parts/run-link.tsx'
import { signOf } from '../parts/status.tsx'

type Facts = NonNullable<ExecutionResult['facts']>

/** More lines of one kind are folded. */
const MOST_OPEN = 5

interface Line {
  seq?: number | undefined
  /** How it went. */
  status: 'completed' | 'failed' | 'incomplete'
  what: string
  note?: string | undefined
}

/** What the run did by its log, a line for each thing; its files stand elsewhere. */
export function FactList({ runId, facts }: { runId: string; facts: Facts }) {
  const kinds = [
    { label: 'Ran', lines: facts.programs.map(toProgram) },
    { label: 'Sent', lines: facts.sent.map(toSent) },
    { label: 'Not done', lines: facts.missed.map(toMissed) },
  ].filter(({ lines }) => lines.length > 0)
  const { untouched, calls } = facts
  if (kinds.length === 0 && untouched.length === 0) return null
  return (
    <section aria-label="What the run did" class="answer-facts small">
      {kinds.map(({ label, lines }) => (
        <Folded key={label} label={label} count={lines.length} isOpen={lines.length <= MOST_OPEN}>
          {lines.map(({ seq, status, what, note }, index) => (
            <li key={index} data-status={status}>
              <span class="sign" aria-hidden="true">
                {signOf(status)}
              </span>
              <span>
                <code>{what}</code> {note !== undefined && <span class="note">{note}</span>}{' '}
                {seq !== undefined && <EventLink id={runId} seq={seq} />}
              </span>
            </li>
          ))}
        </Folded>
      ))}
      {untouched.length > 0 && (
        <Folded
          label={
            calls === 0
              ? 'No tool was called in this run; the answer names'
              : 'Named in the answer, not touched in this run'
          }
          count={untouched.length}
          isOpen={false}
        >
          {untouched.map((name, index) => (
            <li key={index}>
              <span class="sign" aria-hidden="true">
                –
              </span>
              <code>{name}</code>
            </li>
          ))}
        </Folded>
      )}
    </section>
  )
}

interface FoldedProps {
  label: string
  count: number
  isOpen: boolean
  children: ComponentChildren
}

function Folded({ label, count, isOpen, children }: FoldedProps) {
  return (
    <details open={isOpen}>
      <summary>{`${label} (${count})`}</summary>
      <ul>{children}</ul>
    </details>
  )
}

function toProgram({ seq, command, exitCode, editedAfter }: Facts['programs'][number]): Line {
  const isFailed = exitCode !== undefined && exitCode !== 0
  const notes = [
    ...(exitCode === undefined ? [] : [isFailed ? `failed, exit ${exitCode}` : 'exit 0']),
    ...(editedAfter ? ['files changed after it'] : []),
  ]
  return {
    seq,
    status: isFailed ? 'failed' : editedAfter ? 'incomplete' : 'completed',
    what: command,
    note: notes.join(', '),
  }
}

const toSent = ({ seq, tool, target, status }: Facts['sent'][number]): Line => ({
  seq,
  status: 'completed',
  what: target === undefined ? tool : `${tool} ${target}`,
  note: status === undefined ? undefined : `answered ${status}`,
})

const toMissed = ({ seq, tool, target, why, reason }: Facts['missed'][number]): Line => ({
  seq,
  status: why === 'in doubt' ? 'incomplete' : 'failed',
  what: target === undefined ? tool : `${tool} ${target}`,
  note: `${why}: ${reason}`,
})
