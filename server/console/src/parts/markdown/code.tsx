import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { highlight } from './highlight.ts'

/** Longer code, and code with longer lines, has no colours. */
const MOST_COLOURED = 50_000
const LONG_LINE = /[^\n]{2000}/

/** What colours code, once it is here. */
const colours = signal<typeof highlight | undefined>(undefined)
let isAsked = false
async function load(): Promise<void> {
  if (isAsked) return
  isAsked = true
  try {
    colours.value = (await import('./highlight.ts')).highlight
  } catch {
    // Without colours it can be read, too.
    isAsked = false
  }
}

interface CodeProps {
  text: string
  /** Name or ending of its language; empty for none. */
  language: string
  label: string
}

/** Code, in colours where its language is known. */
export function Code({ text, language, label }: CodeProps) {
  const hasColours = language !== '' && text.length <= MOST_COLOURED && !LONG_LINE.test(text)
  useEffect(() => {
    if (hasColours) void load()
  }, [hasColours])
  const { value: paint } = colours
  const pieces = useMemo(
    () => (hasColours ? paint?.(text, language.toLowerCase()) : undefined),
    [text, language, hasColours, paint],
  )
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={label}>
      <code>
        {pieces?.map(({ class: name, text: piece }, index) =>
          name === '' ? (
            piece
          ) : (
            <span key={index} class={name}>
              {piece}
            </span>
          ),
        ) ?? toLines(text)}
      </code>
    </pre>
  )
}

/** Lines in pieces: what is selected in one stays so while others come. */
const toLines = (text: string): string | string[] =>
  text.length < 200 ? text : (text.match(/[^\n]*\n|[^\n]+/g) ?? text)
