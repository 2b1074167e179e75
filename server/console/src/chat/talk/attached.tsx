import type { ThreadMessage } from '@svc/sdk/remote'

/** How material of a file begins. */
const NAMED = /^File ([^\n]{1,300}):\n/

/** Files, images and texts that came with a task, by name. */
export function attachedTo({ context, files = [] }: Pick<ThreadMessage, 'context' | 'files'>): string[] {
  const parts = typeof context === 'string' ? [{ type: 'text' as const, text: context }] : (context ?? [])
  const names = parts.flatMap((part) => {
    if (part.type === 'json') return ['data']
    if (part.type !== 'text') return [part.name ?? part.type]
    const name = NAMED.exec(part.text)?.[1]
    // Files that were read stand in one text; their names are there already.
    return name === undefined ? (files.length > 0 || part.text === '' ? [] : ['a text']) : [name]
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
