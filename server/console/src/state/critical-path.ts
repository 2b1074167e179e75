import { groupBy } from './group-by.ts'
import type { Span } from './spans.ts'

/**
 * The spans that decided how long it took: from the end backwards, always the one that ended last before what came after
 * it could begin, and within it the same again.
 *
 * Source: Zhang and others, "CRISP: Critical Path Analysis of Large-Scale Microservice Architectures" (2022).
 *
 * @param now the end of what goes on, in milliseconds since the epoch
 * @returns the numbers (`seq`) of the spans on the path
 */
export function findCriticalPath(spans: readonly Span[], now: number): ReadonlySet<number> {
  const below = groupBy(spans, ({ parent }) => parent)
  const end = ({ endedAt = now }: Span): number => endedAt
  const path = new Set<number>()
  const walk = (parent: Span | undefined, until: number): void => {
    const latest = [...(below.get(parent) ?? [])].sort((a, b) => end(b) - end(a) || b.seq - a.seq)
    let cursor = until
    for (const span of latest) {
      if (end(span) > cursor) continue
      path.add(span.seq)
      walk(span, end(span))
      cursor = span.startedAt
    }
  }
  walk(undefined, Number.POSITIVE_INFINITY)
  return path
}
