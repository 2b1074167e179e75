import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface CardProps {
  title: ComponentChildren
  /** Said beside the title. */
  note?: ComponentChildren
  /** Stands in the head after title and note. */
  extra?: ComponentChildren
  /** By which addresses lead here. */
  id?: string
  class?: string
  children?: ComponentChildren
}

/** A part of a page in a frame, under its own title. */
export function Card({ title, note, extra, id, class: name = '', children }: CardProps) {
  const titleId = useId()
  return (
    <section class={`card ${name}`} id={id} aria-labelledby={titleId}>
      <header>
        <h2 id={titleId}>{title}</h2>
        {note !== undefined && <span class="soft small">{note}</span>}
        {extra}
      </header>
      {children}
    </section>
  )
}
