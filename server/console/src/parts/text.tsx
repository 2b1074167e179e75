import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { toText } from './format.ts'

/** Longer texts are cut until somebody wants all of them. */
const MOST_SHOWN = 6_000

/** How much of a text is drawn, and the button that draws all of it where it is cut. */
export function useCut(length: number): { most: number; more: ComponentChildren } {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || length <= MOST_SHOWN) return { most: length, more: null }
  const more = (
    <button type="button" class="plain small" onClick={() => setWhole(true)}>
      Show all {length.toLocaleString('en')} characters
    </button>
  )
  return { most: MOST_SHOWN, more }
}

/** What a model, a tool or a person said, as text and nothing else. */
export function LongText({ text, label, tone = 'code' }: { text: string; label: string; tone?: 'code' | 'prose' }) {
  const { most, more } = useCut(text.length)
  return (
    <div>
      <pre class="long-text" data-tone={tone} tabIndex={0} role="region" aria-label={label}>
        {text.slice(0, most)}
      </pre>
      {more}
    </div>
  )
}

/** Any value, as JSON. */
export function JsonText({ value, label }: { value: unknown; label: string }) {
  return <LongText text={toText(value, 2)} label={label} />
}
