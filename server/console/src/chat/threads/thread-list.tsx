import { useEffect, useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/error-note.tsx'
import { serverNow } from '../../session/clock.ts'
import { useThreadStates } from './at-work.ts'
import { byDay } from './days.ts'
import { ThreadRow } from './thread-row.tsx'
import { titleOf } from './title.ts'
import { useThreads } from './use-threads.ts'

/** So near to its end the list asks for more, in pixels. */
const NEAR_END = 200

interface ThreadListProps {
  /** The conversation that is shown; empty: a new one. */
  current: string
  /** Called when one is chosen. */
  onChoose: () => void
}

/** All conversations, to go on with one of them. */
export function ThreadList({ current, onChoose }: ThreadListProps) {
  const { threads, isLoading, error, more, reload } = useThreads()
  const states = useThreadStates()
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const isSearched = wanted !== ''
  const found = !isSearched ? threads : threads.filter((one) => titleOf(one).toLowerCase().includes(wanted))
  // Only what is loaded can be searched.
  useEffect(() => {
    if (isSearched && !isLoading) more()
  }, [isSearched, isLoading, threads.length, more])
  return (
    <nav class="chat-threads" aria-label="Conversations">
      <div class="chat-threads-top">
        <a class="button chat-new" href="/console/" aria-keyshortcuts="Control+Shift+O Meta+Shift+O" onClick={onChoose}>
          <span aria-hidden="true">+</span> New chat
        </a>
        <input
          type="search"
          aria-label="Search conversations by title"
          placeholder="Search titles"
          autocomplete="off"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      <div
        class="chat-threads-list"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          if (scrollTop + clientHeight > scrollHeight - NEAR_END) more()
        }}
      >
        {byDay(found, serverNow()).map(([day, rows]) => (
          <section key={day} aria-label={day}>
            <h3>{day}</h3>
            <ul>
              {rows.map((thread) => (
                <ThreadRow
                  key={thread.id}
                  thread={thread}
                  isCurrent={thread.id === current}
                  state={states.get(thread.id)}
                  onChoose={onChoose}
                  onChanged={reload}
                />
              ))}
            </ul>
          </section>
        ))}
        <ErrorNote error={error} onRetry={reload} />
        {found.length === 0 && error === undefined && (
          <p class="soft small chat-none" role="status">
            {isLoading ? 'Loading…' : !isSearched ? 'No conversation yet.' : 'No title has these words.'}
          </p>
        )}
        {found.length > 0 && isLoading && <p class="soft small chat-none">Loading…</p>}
      </div>
    </nav>
  )
}
