import type { Thread } from '@svc/sdk/remote'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { FormDialog } from '../../parts/dialog.tsx'
import { Deciding } from '../../session/deciding.tsx'
import { runtime } from '../../session/session.ts'
import type { ThreadState } from './at-work.ts'
import { useTitle } from './title.ts'

const MOST_TITLE = 1_000

interface ThreadRowProps {
  thread: Thread
  isCurrent: boolean
  state: ThreadState | undefined
  onChoose: () => void
  /** Called when it was renamed or removed. */
  onChanged: () => void
}

/** One conversation of the list, and what can be done about it. */
export function ThreadRow({ thread, isCurrent, state, onChoose, onChanged }: ThreadRowProps) {
  const { id } = thread
  const title = useTitle(thread)
  const [isOpen, setOpen] = useState(false)
  const [asks, setAsks] = useState<'title' | 'delete'>()
  const row = useRef<HTMLLIElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const close = ({ target }: Event): void => {
      if (target instanceof Node && !row.current?.contains(target)) setOpen(false)
    }
    addEventListener('pointerdown', close)
    return () => removeEventListener('pointerdown', close)
  }, [isOpen])
  const ask = (what: typeof asks): void => {
    setOpen(false)
    setAsks(what)
  }
  // The focus of a row that goes away goes to what stands before the list.
  useLayoutEffect(
    () => () => {
      if (toggle.current === document.activeElement) document.querySelector<HTMLElement>('.chat-new')?.focus()
    },
    [],
  )
  const closeDialog = (): void => setAsks(undefined)
  // Once the dialog is gone: before, nothing behind it takes the focus.
  const hasAsked = useRef(false)
  useLayoutEffect(() => {
    if (hasAsked.current) toggle.current?.focus()
    hasAsked.current = asks !== undefined
  }, [asks])
  return (
    <li
      ref={row}
      class="chat-thread"
      data-current={isCurrent}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        event.stopPropagation()
        setOpen(false)
        toggle.current?.focus()
      }}
    >
      <a href={`/console/chat/${id}`} aria-current={isCurrent ? 'page' : undefined} title={title} onClick={onChoose}>
        {state !== undefined && (
          <span class="chat-dot" data-state={state} title={state === 'waiting' ? 'Waits for a person' : 'At work'}>
            <span class="hidden-label">{state === 'waiting' ? 'Waits for a person: ' : 'At work: '}</span>
          </span>
        )}
        <span class="clip">{title}</span>
        {typeof thread.metadata.copiedFrom === 'string' && <span class="tiny soft">edited</span>}
      </a>
      <button
        ref={toggle}
        type="button"
        class="plain chat-more"
        aria-label={`More for ${title}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        ⋯
      </button>
      {isOpen && (
        <div class="chat-menu">
          <Deciding scope="submit">
            <button type="button" class="plain" onClick={() => ask('title')}>
              Rename
            </button>
            <button type="button" class="plain chat-delete" onClick={() => ask('delete')}>
              Delete
            </button>
          </Deciding>
        </div>
      )}
      {asks === 'title' && <RenameDialog id={id} title={title} onClose={closeDialog} onChanged={onChanged} />}
      {asks === 'delete' && (
        <DeleteDialog id={id} title={title} isCurrent={isCurrent} onClose={closeDialog} onChanged={onChanged} />
      )}
    </li>
  )
}

interface ChangeProps {
  id: string
  title: string
  onClose: () => void
  onChanged: () => void
}

function RenameDialog({ id, title, onClose, onChanged }: ChangeProps) {
  return (
    <FormDialog
      title="Rename this conversation"
      doLabel="Rename"
      isOpen
      onClose={onClose}
      onDo={async (entered) => {
        const { threads } = runtime.value
        await threads.update(id, { title: String(entered.get('title') ?? '').trim() })
        onChanged()
      }}
    >
      <label>
        Title
        <input name="title" defaultValue={title} maxLength={MOST_TITLE} required autocomplete="off" />
      </label>
    </FormDialog>
  )
}

function DeleteDialog({ id, title, isCurrent, onClose, onChanged }: ChangeProps & { isCurrent: boolean }) {
  const { route } = useLocation()
  return (
    <FormDialog
      title="Delete this conversation?"
      doLabel="Delete"
      isDangerous
      isOpen
      onClose={onClose}
      onDo={async () => {
        const { threads } = runtime.value
        await threads.delete(id)
        onChanged()
        if (isCurrent) route('/console/')
      }}
    >
      <p>
        “{title}” is removed from this list for good. Its runs stay under <a href="/console/runs">Runs</a>, and can be
        deleted there.
      </p>
    </FormDialog>
  )
}
