import type { Thread } from '@svc/sdk/remote'
import { groupBy } from '../../state/group-by.ts'

const DAY_MS = 86_400_000

/** Conversations by when they were last used, in the words of a person. @param now milliseconds since the epoch */
export function byDay(threads: readonly Thread[], now: number): [name: string, threads: Thread[]][] {
  const today = new Date(now).setHours(0, 0, 0, 0)
  const nameOf = ({ updatedAt }: Thread): string => {
    const time = Date.parse(updatedAt)
    if (time >= today) return 'Today'
    if (time >= today - DAY_MS) return 'Yesterday'
    return time >= today - 7 * DAY_MS ? 'The last 7 days' : 'Earlier'
  }
  return [...groupBy(threads, nameOf)]
}
