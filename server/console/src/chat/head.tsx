import type { Thread } from '@svc/sdk/remote'
import { formatCost, formatCount } from '../parts/format.ts'
import { useLoad } from '../session/use-load.ts'
import { titleOf } from './threads/title.ts'

interface HeadProps {
  id: string
  thread: Thread | undefined
  /** Runs that have ended: what they took is asked for again when there are more. */
  ended: number
  isDrawerOpen: boolean
  onDrawer: () => void
}

/** What the conversation is called, where it comes from, and what it took so far. */
export function Head({ id, thread, ended, isDrawerOpen, onDrawer }: HeadProps) {
  const copiedFrom = thread?.metadata.copiedFrom
  return (
    <header class="chat-head">
      <button
        type="button"
        class="plain chat-drawer"
        aria-expanded={isDrawerOpen}
        aria-label="Conversations"
        title="Conversations"
        onClick={onDrawer}
      >
        ☰
      </button>
      {thread !== undefined && <h1 class="clip">{titleOf(thread)}</h1>}
      {typeof copiedFrom === 'string' && (
        <a class="small chat-earlier" href={`/console/chat/${encodeURIComponent(copiedFrom)}`}>
          Earlier version
        </a>
      )}
      {id !== '' && <Cost id={id} ended={ended} />}
    </header>
  )
}

function Cost({ id, ended }: { id: string; ended: number }) {
  const { value } = useLoad(({ runs }) => runs.summary({ threadId: id }), [id, ended])
  if (value === undefined || value.tokens === 0) return null
  const cost = value.unpriced === value.total ? 'not priced' : formatCost(value.costUsd)
  return (
    <span class="tiny soft number spread chat-cost" title={`${formatCount(value.total)} runs`}>
      {formatCount(value.tokens)} tokens · {cost}
    </span>
  )
}
