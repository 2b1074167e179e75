import { findFileTexts } from '@svc/core/client'
import type { ThreadMessage } from '@svc/sdk/remote'

/** Files, images and texts that came with a task, by name. */
function attachedTo({ context, files = [] }: Pick<ThreadMessage, 'context' | 'files'>): string[] {
  const parts = typeof context === 'string' ? [{ type: 'text' as const, text: context }] : (context ?? [])
  const names = parts.flatMap((part) => {
    if (part.type === 'json') return ['data']
    if (part.type !== 'text') return [part.name ?? part.type]
    const named = findFileTexts(part.text).map(({ name }) => name)
    // Files that were read stand in one text; their names are there already.
    return named.length > 0 || files.length > 0 || part.text === '' ? named : ['a text']
  })
  return [...new Set([...files, ...names])]
}

/** What came with a message. */
export function Attached({ to }: { to: ThreadMessage }) {
  const names = attachedTo(to)
  if (names.length === 0) return null
  return (
    <ul class="chat-chips" aria-label="Attached">
      {names.map((name) => (
        <li key={name} class="chat-chip">
          <span aria-hidden="true">▤</span> <span class="mono clip">{name}</span>
        </li>
      ))}
    </ul>
  )
}
