import { useSignal } from '@preact/signals'
import type { Thread } from '@svc/sdk/remote'
import { useEffect } from 'preact/hooks'
import { oneLine } from '../../parts/format.ts'
import { runtime } from '../../session/session.ts'

/** Longer titles are cut when a conversation is begun. */
const MOST_TITLE = 80

/** First tasks of conversations without a title, by id: they do not change. */
const firstTasks = new Map<string, string>()

/** What a conversation is called that begins with a task. */
export const toTitle = (task: string): string => oneLine(task, MOST_TITLE)

/** What is known of a conversation's name now. */
export const titleOf = ({ id, title = '' }: Thread): string => title || firstTasks.get(id) || 'Conversation'

/** What a conversation is called: its title, else its first task. */
export function useTitle(thread: Thread): string {
  const loaded = useSignal(0)
  const { id, title = '' } = thread
  useEffect(() => {
    if (title !== '' || firstTasks.has(id)) return
    void runtime
      .peek()
      .runs.list({ threadId: id, order: 'asc', limit: 1 })
      .then(
        ({ data: [first] }) => {
          firstTasks.set(id, toTitle(first?.task ?? ''))
          loaded.value++
        },
        () => {},
      )
  }, [id, title])
  void loaded.value
  return titleOf(thread)
}
