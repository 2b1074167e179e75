import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Coloured, highlight } from './highlight.ts'

/** Longer code, and code with longer lines, has no colours. */
const MOST_COLOURED = 50_000
const LONG_LINE = /[^\n]{2000}/
/** Of code that grows, a tenth of the time at most is spent on its colours. */
const PAUSE = 10

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
  /** More of it may come. */
  isOpen?: boolean
}

/** Code, in colours where its language is known. */
export function Code({ text, language, label, isOpen = false }: CodeProps) {
  const isColoured = language !== '' && text.length <= MOST_COLOURED && !LONG_LINE.test(text)
  useEffect(() => {
    if (isColoured) void load()
  }, [isColoured])
  const { value: paint } = colours
  const last = useRef<Painted>(NOTHING)
  if (isColoured && paint !== undefined)
    last.current = repaint(last.current, text, language.toLowerCase(), isOpen, paint)
  const { pieces, text: painted } = isColoured ? last.current : NOTHING
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={label}>
      <code>
        {pieces.map(({ class: name, text: piece }, index) =>
          name === '' ? (
            piece
          ) : (
            <span key={index} class={name}>
              {piece}
            </span>
          ),
        )}
        {toLines(text.slice(painted.length))}
      </code>
    </pre>
  )
}

/** What was coloured, and how long that took. */
interface Painted {
  text: string
  language: string
  pieces: readonly Coloured[]
  tookMs: number
  at: number
}
const NOTHING: Painted = { text: '', language: '', pieces: [], tookMs: 0, at: 0 }

function repaint(last: Painted, text: string, language: string, isOpen: boolean, paint: typeof highlight): Painted {
  const isSame = last.language === language && text.startsWith(last.text)
  const at = performance.now()
  if (isSame && (text === last.text || (isOpen && at - last.at < PAUSE * last.tookMs))) return last
  const pieces = paint(text, language)
  if (pieces === undefined) return NOTHING
  return { text, language, pieces, tookMs: performance.now() - at, at }
}

/** Lines in pieces: what is selected in one stays so while others come. */
const toLines = (text: string): string | string[] =>
  text.length < 200 ? text : (text.match(/[^\n]*\n|[^\n]+/g) ?? text)
