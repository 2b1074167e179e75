import type { RunCreate, ThreadMessage } from '@svc/sdk/remote'
import { useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { RequestKeys } from '../session/request-keys.ts'
import { runtime } from '../session/session.ts'
import type { Talk } from './talk/use-messages.ts'
import { toTitle } from './threads/title.ts'

/**
 * Makes runs of a conversation, which begins with the first.
 *
 * @param id empty: there is no conversation yet
 * @param isShown whether it still is the one that is looked at
 */
export function useStart(id: string, talk: Talk, isShown: () => boolean) {
  const { route } = useLocation()
  /** A conversation that was begun for a message that was refused then. */
  const begun = useRef<string>(undefined)
  const keys = useMemo(() => new RequestKeys(), [])
  return async (create: RunCreate, shown: Partial<ThreadMessage>, key?: string): Promise<void> => {
    const { runs, threads } = runtime.value
    if (id === '') begun.current ??= (await threads.create({ title: toTitle(create.task) })).id
    const threadId = id || begun.current || ''
    const request = { ...create, threadId }
    const run = await runs.create(request, { idempotencyKey: key ?? keys.keyOf(request) })
    keys.renew()
    if (id === '') begun.current = undefined
    if (!isShown()) return
    talk.add(run, shown)
    if (id === '') route(`/console/chat/${threadId}`)
    else talk.refresh()
  }
}
export type Start = ReturnType<typeof useStart>
