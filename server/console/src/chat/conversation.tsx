import { isTerminal } from '@svc/core/client'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ErrorNote } from '../parts/error-note.tsx'
import { oneLine } from '../parts/format.ts'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { PutBackDialog } from './again/put-back-dialog.tsx'
import { Composer } from './composer/composer.tsx'
import { changeDraft } from './composer/draft-state.ts'
import { Empty } from './empty.tsx'
import { Head } from './head.tsx'
import { type TurnActions, TurnView } from './talk/turn.tsx'
import { useFollowEnd } from './talk/use-follow-end.ts'
import { useMessages } from './talk/use-messages.ts'
import { titleOf } from './threads/title.ts'
import { useActions } from './use-actions.ts'
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
  const bodyBytes = info?.config.value.server?.limits?.bodyBytes
  const { actions, ...chat } = useActions(id, talk, bodyBytes, announce)
  const stable = useStable(actions)
  const follow = useFollowEnd(id, turns[0]?.runId ?? '', talk.earlier)
  const active = turns.find(({ status }) => !isTerminal(status))
  const ended = turns.filter(({ status }) => isTerminal(status)).length
  const stop = active === undefined ? undefined : () => chat.stop(active.runId)
  const isArmed = useStopKey(stop)
  const isNew = id === '' && turns.length === 0
  const [isOver, setOver] = useState(false)
  useViewTitle(thread === undefined ? 'Chat' : titleOf(thread))

  // Says the answer to people who cannot see it, once it is whole.
  const heard = useRef<string>(undefined)
  useEffect(() => {
    const last = turns.find(({ runId }) => runId === heard.current)
    if (last?.answer !== undefined && isTerminal(last.status)) announce(`Answer: ${oneLine(last.answer.content, 600)}`)
    heard.current = active?.runId ?? (last?.answer === undefined ? heard.current : undefined)
  }, [turns, active?.runId])

  const runIds = new Set(turns.map(({ runId }) => runId))
  const isMissing = error?.code === 'thread_not_found' || (error?.code === 'validation_failed' && turns.length === 0)
  return (
    <section
      class="chat-main"
      aria-label="Conversation"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        chat.attach([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <Head
        id={id}
        thread={thread}
        folder={info?.policy.root ?? ''}
        ended={ended}
        isDrawerOpen={isDrawerOpen}
        onDrawer={onDrawer}
      />
      <div ref={follow.frame} class="chat-scroll" onScroll={follow.onScroll} tabIndex={-1}>
        <div ref={follow.content} class="chat-talk">
          {isNew && <Empty info={info} onExample={(text) => pick(id, text)} />}
          {isMissing ? (
            <div class="empty" role="alert">
              <p>There is no such conversation here. It may have been deleted, or belong to another folder.</p>
              <p>
                <a href="/console/">Begin a new one</a>
              </p>
            </div>
          ) : (
            <ErrorNote error={error} onRetry={talk.refresh} />
          )}
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
              isBehind={active !== undefined && active !== turn}
              isMore={turn.run?.parentRunId !== undefined && runIds.has(turn.run.parentRunId)}
              isBusy={active !== undefined || chat.isSending}
              actions={stable}
            />
          ))}
        </div>
      </div>
      {!follow.isAtEnd && (
        <button type="button" class="chat-newest small" onClick={follow.toEnd}>
          ↓ Jump to newest
        </button>
      )}
      <Composer
        id={id}
        info={info}
        last={turns.findLast(({ asked }) => asked !== undefined && asked.summarizes !== true)?.asked?.content ?? ''}
        work={active === undefined ? 'none' : active.status === 'cancelling' ? 'stopping' : 'running'}
        isSending={chat.isSending}
        problem={chat.problem}
        problems={chat.problems}
        note={isArmed ? 'Press Esc again to stop.' : chat.note}
        onSend={() => {
          follow.toEnd()
          chat.send()
        }}
        onStop={() => stop?.()}
        onFiles={chat.attach}
      />
      <p class="hidden-label" role="status" aria-live="polite">
        {announced}
      </p>
      {chat.asked !== undefined && (
        <PutBackDialog
          found={chat.asked.found}
          then={chat.asked.sends ? 'send again' : undefined}
          onPutBack={chat.putBack}
          onKeep={chat.asked.sends ? chat.keepFiles : undefined}
          onClose={chat.closeAsked}
        />
      )}
    </section>
  )
}

/** The same object for all time, which does what the newest would: turns are drawn anew where they change alone. */
function useStable(newest: TurnActions): TurnActions {
  const current = useRef(newest)
  current.current = newest
  return useMemo(
    () => ({
      again: (turn, task) => current.current.again(turn, task),
      goOn: (turn, addTokens) => current.current.goOn(turn, addTokens),
      takeBack: (turn) => current.current.takeBack(turn),
      onEnd: () => current.current.onEnd(),
      announce: (text) => current.current.announce(text),
    }),
    [],
  )
}

/** Puts an example where it can be changed before it is sent. */
function pick(id: string, text: string): void {
  changeDraft(id, { text })
  document.querySelector<HTMLElement>('.chat-composer textarea')?.focus()
}
