import type { RunMessage } from '@svc/sdk/remote'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useAction } from '../../session/use-action.ts'
import type { TurnActions } from '../talk/turn-actions.ts'
import type { Turn } from '../talk/turns.ts'
import { Said } from './said.tsx'
import { sentTo } from './sent.ts'

interface UnreadProps {
  turn: Turn
  unread: readonly RunMessage[]
  actions: { readonly current: TurnActions }
}

/** What was said to a run that has ended, and no agent has read. */
export function Unread({ turn, unread, actions }: UnreadProps) {
  const messages = unread.filter(({ text }) => !actions.current.isAskedAfter(turn, text))
  const { act, isBusy, error } = useAction(() => actions.current.sendUnread(messages))
  if (messages.length === 0) return null
  const own = new Set(sentTo(turn.runId).map(({ id }) => id))
  const isSent = messages.every(({ id }) => own.has(id))
  return (
    <section class="chat-unread" aria-label="Not read">
      {messages.map((message) => (
        <Said key={message.id} message={message}>
          {isSent ? 'The run had ended: it is sent as the next message…' : 'Not read: the run had ended.'}
        </Said>
      ))}
      {!isSent && (
        <button type="button" class="small" disabled={isBusy} onClick={() => void act()}>
          Send as the next message
        </button>
      )}
      <ErrorNote error={error} />
    </section>
  )
}
