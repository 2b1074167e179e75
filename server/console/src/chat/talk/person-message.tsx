import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Edit, EditMessage } from '../again/edit-message.tsx'
import { Attached } from './attached.tsx'
import { Bubble } from './bubble.tsx'
import type { Turn } from './turns.ts'

interface PersonMessageProps {
  turn: Turn
  /** Undefined where it cannot be edited now. */
  edit: Edit | undefined
  /** What else can be done about it. */
  children?: ComponentChildren
}

/** What a person asked. */
export function PersonMessage({ turn: { asked, task }, edit, children }: PersonMessageProps) {
  const [isEdited, setEdited] = useState(false)
  // What is being written stays, whatever becomes of the run meanwhile.
  const newest = useRef(edit)
  newest.current = edit ?? newest.current
  const button = useRef<HTMLButtonElement>(null)
  const wasEdited = useRef(false)
  useLayoutEffect(() => {
    if (wasEdited.current && !isEdited) button.current?.focus()
    wasEdited.current = isEdited
  }, [isEdited])
  if (asked === undefined) return null
  if (isEdited && newest.current !== undefined)
    return <EditMessage text={asked.content} edit={newest.current} onEnd={() => setEdited(false)} />
  return (
    <div class="chat-person">
      <Bubble text={task}>
        <Attached to={asked} />
      </Bubble>
      <div class="chat-tools">
        {edit !== undefined && (
          <button ref={button} type="button" class="plain small" onClick={() => setEdited(true)}>
            Edit
          </button>
        )}
        {children}
      </div>
    </div>
  )
}
