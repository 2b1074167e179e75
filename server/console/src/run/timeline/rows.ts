import { groupBy } from '../../state/group-by.ts'
import type { Span } from '../../state/spans.ts'

/** A line of the waterfall. */
export interface Row {
  span: Span
  depth: number
  /** Spans below it that could be shown. */
  children: number
  isFolded: boolean
}

/**
 * The spans as lines: each below the one that it is within, in the order in which they began.
 *
 * @param folded numbers of the spans of which nothing below is shown
 * @param only numbers of the spans to show; undefined: all
 */
export function toRows(spans: readonly Span[], folded: ReadonlySet<number>, only?: ReadonlySet<number>): Row[] {
  const wanted = only === undefined ? spans : spans.filter(({ seq }) => only.has(seq))
  const below = groupBy(wanted, ({ parent }) => parent)
  const rows: Row[] = []
  const add = (parent: Span | undefined, depth: number): void => {
    for (const span of below.get(parent) ?? []) {
      const children = below.get(span)?.length ?? 0
      const isFolded = folded.has(span.seq)
      rows.push({ span, depth, children, isFolded })
      if (children > 0 && !isFolded) add(span, depth + 1)
    }
  }
  add(undefined, 0)
  return rows
}
