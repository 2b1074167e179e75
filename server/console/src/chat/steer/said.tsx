import type { RunMessage } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { session } from '../../session/session.ts'
import { Bubble } from '../talk/bubble.tsx'

interface SaidProps {
  message: RunMessage
  /** What became of it. */
  children: ComponentChildren
}

/** What a person said to a run at work. */
export function Said({ message: { text, by }, children }: SaidProps) {
  return (
    <div class="chat-person">
      <Bubble text={text} />
      <p class="tiny soft">
        {by !== 'user' && by !== session.value?.name && `${by}: `}
        {children}
      </p>
    </div>
  )
}
