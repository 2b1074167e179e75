import type { SpanKind } from '../../../state/spans.ts'

/** How the kinds of spans are shown: a sign and a name, beside their colours. */
export const KINDS: Readonly<Record<SpanKind, { sign: string; name: string }>> = {
  stage: { sign: '▬', name: 'stage' },
  step: { sign: '◇', name: 'step' },
  model: { sign: '✦', name: 'model call' },
  tool: { sign: '▤', name: 'tool call' },
  wait: { sign: '◷', name: 'wait' },
}
