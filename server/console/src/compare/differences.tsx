import type { RunDiff } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { Changes } from '../parts/changes.tsx'
import { plural } from '../parts/format.ts'

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
    <Card title="Differences">
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
                  {plural(changes.length, 'field')} {changes.length === 1 ? 'differs' : 'differ'}
                </span>
              </summary>
              <Changes label={`${name}: what differs`} changes={changes} names={['Run A', 'Run B']} />
            </details>
          )
        })}
      </div>
    </Card>
  )
}
