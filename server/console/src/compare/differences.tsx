import type { RunDiff } from '@svc/sdk/remote'
import { Changes } from '../parts/changes.tsx'

const GROUPS = [
  ['plan', 'Plan'],
  ['agents', 'Agents'],
  ['toolCalls', 'Tool calls'],
  ['usage', 'Usage'],
  ['output', 'Output'],
] as const

/** A group with more is folded at first. */
const MOST_OPEN = 12

/** What differs between the two runs, group by group. */
export function Differences({ diff }: { diff: RunDiff }) {
  return (
    <section class="card" aria-labelledby="differences-title">
      <header>
        <h2 id="differences-title">Differences</h2>
      </header>
      <div class="body stack">
        {GROUPS.map(([group, name]) => {
          const { [group]: changes } = diff
          if (changes.length === 0)
            return (
              <p key={group}>
                <b>{name}</b> <span class="soft">the same</span>
              </p>
            )
          return (
            <details key={group} open={group !== 'output' && changes.length <= MOST_OPEN}>
              <summary>
                <b>{name}</b>{' '}
                <span class="soft">
                  {changes.length} {changes.length === 1 ? 'field differs' : 'fields differ'}
                </span>
              </summary>
              <div class="scroll" tabIndex={0} role="region" aria-label={`${name}: what differs`}>
                <Changes changes={changes} names={['Run A', 'Run B']} />
              </div>
            </details>
          )
        })}
      </div>
    </section>
  )
}
