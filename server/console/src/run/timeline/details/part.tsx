import type { RunEvent } from '@svc/core/client'
import type { ComponentChildren } from 'preact'
import type { Span } from '../../../state/spans.ts'
import type { ShownRun } from '../../shown-run.ts'

/** What is shown of one kind of span. */
export interface DetailsProps {
  span: Span
  /** Events of the span itself, in order. */
  events: readonly RunEvent[]
  shown: ShownRun
}

/** A part of the details under its title. */
export function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="stack tight">
      <h3>{title}</h3>
      {children}
    </section>
  )
}
