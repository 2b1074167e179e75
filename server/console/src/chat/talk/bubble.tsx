import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** Longer texts are folded. */
const MOST = 1_200

/** What a person said. @param children what came with it */
export function Bubble({ text, children }: { text: string; children?: ComponentChildren }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > MOST
  return (
    <div class="chat-bubble">
      {children}
      <p>{isLong && !isWhole ? `${text.slice(0, MOST).trimEnd()}…` : text}</p>
      {isLong && (
        <button type="button" class="plain small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all of it'}
        </button>
      )}
    </div>
  )
}
