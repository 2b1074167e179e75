import { useState } from 'preact/hooks'
import './notes.css'

/** Longer texts are cut until somebody wants all of them. */
const MOST_SHOWN = 6_000

/** What a model, a tool or a person said, as text and nothing else. */
export function LongText({ text, label, tone = 'code' }: { text: string; label: string; tone?: 'code' | 'prose' }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > MOST_SHOWN
  return (
    <div>
      <pre class="long-text" data-tone={tone} tabIndex={0} role="region" aria-label={label}>
        {isCut ? text.slice(0, MOST_SHOWN) : text}
      </pre>
      {isCut && (
        <button type="button" class="plain small" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}

/** Any value, as JSON. */
export function JsonText({ value, label }: { value: unknown; label: string }) {
  return <LongText text={typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '–')} label={label} />
}
