import type { ComponentChildren } from 'preact'
import { formatCount, oneLine } from '../../../parts/format.ts'
import { LongText } from '../../../parts/text.tsx'

/** A text under its title, unfolded where it is short or wanted. */
export function Folded({
  title,
  text,
  isOpen = false,
  children,
}: {
  title: string
  text: string
  isOpen?: boolean
  children?: ComponentChildren
}) {
  return (
    <details class="folded" open={isOpen || text.length < SHORT}>
      <summary class="small">
        <b>{title}</b>{' '}
        <span class="soft">
          {formatCount(text.length)} characters <span class="folded-glance">{oneLine(text, 80)}</span>
        </span>
      </summary>
      {text !== '' && <LongText text={text} label={title} />}
      {children}
    </details>
  )
}

const SHORT = 240
