import type { Thread } from '@svc/sdk/remote'
import { costOfRuns, formatCount } from '../parts/format.ts'
import { useLoad } from '../session/use-load.ts'
import { titleOf } from './threads/title.ts'

interface HeadProps {
  id: string
  thread: Thread | undefined
  /** The folder that its runs work in; empty while it is not known. */
  folder: string
  /** Runs that have ended: what they took is asked for again when there are more. */
  ended: number
  isDrawerOpen: boolean
  onDrawer: () => void
}

/** What the conversation is called, the folder it works in, where it comes from, and what it took so far. */
export function Head({ id, thread, folder, ended, isDrawerOpen, onDrawer }: HeadProps) {
  const copiedFrom = thread?.metadata.copiedFrom
  return (
    <header class="chat-head" data-new={id === ''}>
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
      <div class="chat-name">
        {thread !== undefined && <h1 class="clip">{titleOf(thread)}</h1>}
        <p class="tiny soft mono clip" title={`Runs work in ${folder}`}>
          <bdi dir="ltr">{folder}</bdi>
        </p>
      </div>
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
  return (
    <span class="tiny soft number spread chat-cost" title={`${formatCount(value.total)} runs`}>
      {formatCount(value.tokens)} tokens · {costOfRuns(value)}
    </span>
  )
}
