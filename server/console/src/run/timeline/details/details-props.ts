import type { RunEvent } from '@svc/core/client'
import type { Span } from '../../../state/spans.ts'
import type { ShownRun } from '../../shown-run.ts'

/** What is shown of one kind of span. */
export interface DetailsProps {
  span: Span
  /** Events of the span itself, in order. */
  events: readonly RunEvent[]
  shown: ShownRun
}
