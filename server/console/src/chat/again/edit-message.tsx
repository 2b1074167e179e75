import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface EditMessageProps {
  text: string
  onBack: () => void
  onSend: (text: string) => void
}

/** An earlier message, to be sent again with other words. */
export function EditMessage({ text: before, onBack, onSend }: EditMessageProps) {
  const [text, setText] = useState(before)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(before.length, before.length)
  }, [])
  const isEmpty = text.trim() === ''
  return (
    <form
      class="chat-edit"
      aria-label="Edit the message"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty) onSend(text.trim())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          onBack()
        } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
          event.preventDefault()
          if (!isEmpty) onSend(text.trim())
        }
      }}
    >
      <textarea
        ref={field}
        aria-label="Message"
        rows={Math.min(12, before.split('\n').length + 1)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="small soft">The conversation goes on from here as a new one. This one stays as it is.</p>
      <div class="row">
        <button type="submit" class="primary" disabled={isEmpty}>
          Send again
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  )
}
