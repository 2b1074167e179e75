import { isTerminal } from '@svc/core/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ErrorNote } from '../parts/error-note.tsx'
import { oneLine } from '../parts/format.ts'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { PutBackDialog } from './again/put-back-dialog.tsx'
import { Composer } from './composer/composer.tsx'
import { changeDraft } from './composer/draft-state.ts'
import { focusField } from './composer/focus-field.ts'
import { Empty } from './empty.tsx'
import { Head } from './head.tsx'
import { TurnView } from './talk/turn.tsx'
import { isOpenToWords, type Turn } from './talk/turns.ts'
import { useFollowEnd } from './talk/use-follow-end.ts'
import { useMessages } from './talk/use-messages.ts'
import { titleOf } from './threads/title.ts'
import { useActions } from './use-actions.ts'
import { useFileDrop } from './use-file-drop.ts'
import { useStopKey } from './use-stop-key.ts'

interface ConversationProps {
  /** Empty: a new one, which is made when its first message is sent. */
  id: string
  isDrawerOpen: boolean
  onDrawer: () => void
}

/** One conversation, and where the next message is written. */
export function Conversation({ id, isDrawerOpen, onDrawer }: ConversationProps) {
  const talk = useMessages(id)
  const { turns, hasEarlier, isLoading, isFirst, error } = talk
  const { value: info } = useLoad((from) => from.describe(), [])
  const { value: thread } = useLoad(async ({ threads }) => (id === '' ? undefined : threads.get(id)), [id])
  const [announced, announce] = useState('')
  const active = turns.find(({ status }) => !isTerminal(status))
  const isOpen = active !== undefined && isOpenToWords(active)
  const { bodyBytes } = info?.config.value.server?.limits ?? {}
  const chat = useActions(id, { talk, active, bodyBytes, announce })
  const actions = useRef(chat.actions)
  actions.current = chat.actions
  const follow = useFollowEnd(id, turns[0]?.runId ?? '', talk.earlier)
  const drop = useFileDrop(chat.attach)
  const stop = active === undefined ? undefined : () => chat.stop(active.runId)
  const isArmed = useStopKey(stop)
  const { asked, close, putBack, keepFiles } = chat.putBack
  useViewTitle(thread === undefined ? 'Chat' : titleOf(thread))
  useSpokenAnswer(turns, active?.runId, announce)

  const newestEnded = turns.findLast(({ status }) => isTerminal(status))
  const runIds = new Set(turns.map(({ runId }) => runId))
  const isMissing = error?.code === 'thread_not_found' || (error?.code === 'validation_failed' && turns.length === 0)
  return (
    <section class="chat-main" aria-label="Conversation" {...drop}>
      <Head
        id={id}
        thread={thread}
        folder={info?.policy.root ?? ''}
        ended={turns.filter(({ status }) => isTerminal(status)).length}
        isDrawerOpen={isDrawerOpen}
        onDrawer={onDrawer}
      />
      <div ref={follow.frame} class="chat-scroll" onScroll={follow.onScroll} tabIndex={-1}>
        <div ref={follow.content} class="chat-talk">
          {id === '' && turns.length === 0 && <Empty info={info} onExample={(text) => pick(id, text)} />}
          {isMissing ? <Missing /> : <ErrorNote error={error} onRetry={talk.refresh} />}
          {id !== '' && isFirst && isLoading && <p class="soft small chat-none">Loading…</p>}
          {hasEarlier && (
            <button type="button" class="plain small chat-before" disabled={isLoading} onClick={talk.earlier}>
              {isLoading ? 'Loading earlier messages…' : 'Show earlier messages'}
            </button>
          )}
          {turns.map((turn) => (
            <TurnView
              key={turn.runId}
              turn={turn}
              isNewest={turn === turns.at(-1)}
              isNewestEnded={turn === newestEnded}
              isBehind={active !== undefined && active !== turn}
              isBehindOpen={isOpen}
              isMore={turn.run?.parentRunId !== undefined && runIds.has(turn.run.parentRunId)}
              isBusy={active !== undefined || chat.isSending}
              actions={actions}
            />
          ))}
        </div>
      </div>
      {!follow.isAtEnd && (
        <div class="chat-newest">
          <button type="button" class="small" onClick={follow.toEnd}>
            ↓ Jump to newest
          </button>
        </div>
      )}
      <Composer
        id={id}
        info={info}
        last={turns.findLast(({ asked: message }) => message?.summarizes !== true)?.task ?? ''}
        work={active === undefined ? 'none' : active.status === 'cancelling' ? 'stopping' : isOpen ? 'open' : 'busy'}
        isSending={chat.isSending}
        problem={chat.problem}
        problems={chat.problems}
        note={isArmed ? 'Press Esc again to stop.' : chat.note}
        onSend={(isNext) => {
          follow.toEnd()
          chat.send(isNext)
        }}
        onStop={() => stop?.()}
        onFiles={chat.attach}
      />
      <p class="hidden-label" role="status" aria-live="polite">
        {announced}
      </p>
      {asked !== undefined && (
        <PutBackDialog
          found={asked.found}
          then={asked.sends ? 'send again' : undefined}
          onPutBack={() => putBack(asked)}
          onKeep={asked.sends ? () => keepFiles(asked) : undefined}
          onClose={close}
        />
      )}
    </section>
  )
}

/** Says the answer to people who cannot see it, once it is whole. @param active the run at work */
function useSpokenAnswer(turns: readonly Turn[], active: string | undefined, announce: (text: string) => void): void {
  const heard = useRef<string>(undefined)
  useEffect(() => {
    const last = turns.find(({ runId }) => runId === heard.current)
    if (last?.answer !== undefined && isTerminal(last.status)) announce(`Answer: ${oneLine(last.answer.content, 600)}`)
    heard.current = active ?? (last?.answer === undefined ? heard.current : undefined)
  }, [turns, active])
}

function Missing() {
  return (
    <div class="empty" role="alert">
      <p>There is no such conversation here. It may have been deleted, or belong to another folder.</p>
      <p>
        <a href="/console/">Begin a new one</a>
      </p>
    </div>
  )
}

/** Puts an example where it can be changed before it is sent. */
function pick(id: string, text: string): void {
  changeDraft(id, { text })
  focusField()
}
