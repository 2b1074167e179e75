import { useState } from 'preact/hooks'
import { EditMessage } from '../again/edit-message.tsx'
import { Attached } from './attached.tsx'
import type { Turn } from './turns.ts'

/** Longer tasks are folded. */
const MOST = 1_200

interface PersonMessageProps {
  turn: Turn
  /** Sends it again, with other words or the same; undefined where that cannot be done now. */
  onAgain: ((task: string) => void) | undefined
}

/** What a person asked. */
export function PersonMessage({ turn: { asked }, onAgain }: PersonMessageProps) {
  const [isEdited, setEdited] = useState(false)
  const [isWhole, setWhole] = useState(false)
  if (asked === undefined) return null
  const { content } = asked
  const isLong = content.length > MOST
  if (isEdited && onAgain !== undefined)
    return (
      <EditMessage
        text={content}
        onBack={() => setEdited(false)}
        onSend={(task) => {
          setEdited(false)
          onAgain(task)
        }}
      />
    )
  return (
    <div class="chat-person">
      <div class="chat-bubble">
        <Attached to={asked} />
        <p>{isLong && !isWhole ? `${content.slice(0, MOST).trimEnd()}…` : content}</p>
        {isLong && (
          <button type="button" class="plain small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show less' : 'Show all of it'}
          </button>
        )}
      </div>
      {onAgain !== undefined && (
        <div class="chat-tools">
          <button type="button" class="plain small" onClick={() => setEdited(true)}>
            Edit
          </button>
        </div>
      )}
    </div>
  )
}
