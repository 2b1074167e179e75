import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** What editing a message leads to. */
export interface Edit {
  /** Said below the field. */
  note: string
  /** Of the button that does it. */
  doLabel: string
  onDo: (text: string) => void
}

interface EditMessageProps {
  text: string
  edit: Edit
  /** Called when it is done, or left. */
  onEnd: () => void
}

/** A message, to be sent with other words. */
export function EditMessage({ text: before, edit: { note, doLabel, onDo }, onEnd }: EditMessageProps) {
  const [text, setText] = useState(before)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(before.length, before.length)
  }, [])
  const isEmpty = text.trim() === ''
  const send = (event: Event): void => {
    event.preventDefault()
    if (isEmpty) return
    onEnd()
    onDo(text.trim())
  }
  return (
    <form
      class="chat-edit"
      aria-label="Edit the message"
      onSubmit={send}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          onEnd()
        } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event)
      }}
    >
      <textarea
        ref={field}
        aria-label="Message"
        rows={Math.min(12, before.split('\n').length + 1)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="small soft">{note}</p>
      <div class="row">
        <button type="submit" class="primary" disabled={isEmpty}>
          {doLabel}
        </button>
        <button type="button" onClick={onEnd}>
          Back
        </button>
      </div>
    </form>
  )
}
