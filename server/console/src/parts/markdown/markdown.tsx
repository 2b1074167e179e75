import { useRef } from 'preact/hooks'
import { LongText } from '../text.tsx'
import { BlockView } from './block.tsx'
import { MarkdownText } from './blocks.ts'
import { usePaced } from './use-paced.ts'
import './markdown.css'

/** Longer texts stand as they are written. */
const MOST_READ = 200_000

interface MarkdownProps {
  text: string
  /** More of it may come: what is half written at its end is shown as what it becomes. Default false. */
  isGrowing?: boolean
  /** Level of its highest headings, so that they fit the page around. Default 3. */
  level?: number
}

/**
 * The text of a model, a file or a person, read as Markdown and shown as elements of a fixed list. Links lead to the web and to mail
 * alone; nothing is loaded, and HTML is text.
 */
export function Markdown({ text, isGrowing = false, level = 3 }: MarkdownProps) {
  const reader = useRef<MarkdownText>(undefined)
  const shown = usePaced(text, isGrowing)
  if (text.length > MOST_READ) return <LongText text={text} label="Long text" tone="prose" />
  reader.current ??= new MarkdownText()
  const blocks = reader.current.read(shown, isGrowing)
  return (
    <div class="markdown">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} level={level} isOpen={isGrowing && index === blocks.length - 1} />
      ))}
    </div>
  )
}
