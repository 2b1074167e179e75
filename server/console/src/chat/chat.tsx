import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { ViewBoundary } from '../parts/view-boundary.tsx'
import { focusField } from './composer/focus-field.ts'
import { Conversation } from './conversation.tsx'
import { ThreadList } from './threads/thread-list.tsx'
import './chat.css'
import './composer.css'
import './talk.css'

/** A conversation, and the others beside it. */
export function Chat() {
  const { thread: id = '' } = useRoute().params
  const [isOpen, setOpen] = useState(false)
  const page = useRef<HTMLDivElement>(null)
  const find = (selector: string): HTMLElement | null | undefined => page.current?.querySelector<HTMLElement>(selector)
  const close = (): void => setOpen(false)
  useLayoutEffect(() => {
    if (isOpen) find('.chat-new')?.focus()
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    const press = (event: KeyboardEvent): void => {
      // What is in front of the list closes first.
      const isBehind = document.querySelector('dialog[open], .chat-menu') !== null
      if (event.key !== 'Escape' || event.defaultPrevented || isBehind) return
      event.preventDefault()
      close()
      find('.chat-drawer')?.focus()
    }
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [isOpen])
  useNewChatKey()
  return (
    <div ref={page} class="chat-page" data-drawer={isOpen}>
      <aside class="chat-side" aria-label="Conversations">
        <ThreadList current={id} onChoose={close} />
      </aside>
      {isOpen && <button type="button" class="chat-veil" aria-label="Close the conversations" onClick={close} />}
      <ViewBoundary of="The conversation" at={id}>
        <Conversation id={id} isDrawerOpen={isOpen} onDrawer={() => setOpen(!isOpen)} />
      </ViewBoundary>
    </div>
  )
}

/** Begins a new conversation by Ctrl or Cmd with Shift and O, as elsewhere. */
function useNewChatKey(): void {
  const { route } = useLocation()
  useEffect(() => {
    const begin = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'o' || !event.shiftKey || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      route('/console/')
      focusField()
    }
    addEventListener('keydown', begin)
    return () => removeEventListener('keydown', begin)
  }, [route])
}
