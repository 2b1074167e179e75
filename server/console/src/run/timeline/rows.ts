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
  const below = new Map<Span | undefined, Span[]>()
  for (const span of spans) {
    if (only !== undefined && !only.has(span.seq)) continue
    const siblings = below.get(span.parent)
    if (siblings === undefined) below.set(span.parent, [span])
    else siblings.push(span)
  }
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
