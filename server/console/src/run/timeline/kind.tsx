import type { SpanKind } from '../../state/spans.ts'

/** How the kinds of spans are shown: a sign, a name and a colour. */
export const KINDS: Readonly<Record<SpanKind, { sign: string; name: string; colour: string }>> = {
  stage: { sign: '▬', name: 'stage', colour: 'var(--queued)' },
  step: { sign: '◇', name: 'step', colour: 'var(--completed)' },
  model: { sign: '✦', name: 'model call', colour: 'var(--model)' },
  tool: { sign: '▤', name: 'tool call', colour: 'var(--tool)' },
  wait: { sign: '◷', name: 'wait', colour: 'var(--waiting)' },
}

/** The sign of a kind of span. */
export function Kind({ of }: { of: SpanKind }) {
  const { sign, colour } = KINDS[of]
  return (
    <span class="kind" style={{ color: colour }} aria-hidden="true">
      {sign}
    </span>
  )
}
