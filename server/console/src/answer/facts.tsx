import type { ExecutionResult } from '@svc/sdk/remote'

type Facts = NonNullable<ExecutionResult['facts']>

/** What the run did by its log, a line for each kind of fact that there is. */
export function FactList({ facts }: { facts: Facts }) {
  const kinds = [
    { label: 'Ran', items: facts.programs.map(toProgram) },
    { label: 'Files', items: facts.files.map(toFile) },
    { label: 'Sent', items: facts.sent.map(toSent) },
    { label: 'Not done', items: facts.missed.map(toMissed) },
    {
      label: facts.calls === 0 ? 'No tool was called in this run; the answer names' : 'Named, not touched in this run',
      items: facts.untouched,
    },
  ].filter(({ items }) => items.length > 0)
  if (kinds.length === 0) return null
  return (
    <section aria-label="What the run did" class="stack tight small">
      {kinds.map(({ label, items }) => (
        <details key={label} open={items.length <= 5}>
          <summary>{`${label} (${items.length})`}</summary>
          <ul class="mono">
            {items.map((item, index) => (
              <li key={`${index} ${item}`}>{item}</li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  )
}

function toProgram({ command, exitCode, editedAfter }: Facts['programs'][number]): string {
  const exit = exitCode === undefined ? '' : `, ${exitCode === 0 ? '' : 'failed, '}exit ${exitCode}`
  return `${command}${exit}${editedAfter ? ', files changed after it' : ''}`
}

function toFile({ path, change, from, added, removed }: Facts['files'][number]): string {
  const lines = added === undefined || removed === undefined ? '' : ` +${added} −${removed}`
  return `${path} ${change}${from === undefined ? '' : ` from ${from}`}${lines}`
}

const toSent = ({ tool, target, status }: Facts['sent'][number]): string =>
  [tool, target, status === undefined ? undefined : `(${status})`].filter((part) => part !== undefined).join(' ')

const toMissed = ({ tool, target, why, reason }: Facts['missed'][number]): string =>
  `${tool}${target === undefined ? '' : ` ${target}`} ${why}: ${reason}`
