import { type ErrorInfo, isTerminalEvent, type RunEvent } from '@svc/core/client'

export type SpanKind = 'stage' | 'step' | 'model' | 'tool' | 'wait'

/** A stretch of time in which one thing was at work. */
export interface Span {
  /** Number of the event that began it, which no other span has. */
  seq: number
  kind: SpanKind
  label: string
  /** The span that it is within. */
  parent: Span | undefined
  startedAt: number
  /** Absent while it goes on. */
  endedAt?: number
  endSeq?: number
  status: 'running' | 'completed' | 'failed' | 'denied' | 'cancelled' | 'skipped'
  agentId?: string | undefined
  stepId?: string | undefined
  callId?: string | undefined
  tokens: number
  retries: number
  /** The answer stood in a record of an earlier life or run: nobody was asked. */
  isRecorded: boolean
}

/** What ends spans, and how. */
const ENDS: { readonly [Type in RunEvent['type']]?: readonly [SpanKind, Span['status']] } = {
  'stage.completed': ['stage', 'completed'],
  'stage.failed': ['stage', 'failed'],
  'step.completed': ['step', 'completed'],
  'step.failed': ['step', 'failed'],
  'step.skipped': ['step', 'skipped'],
  'model.completed': ['model', 'completed'],
  'model.failed': ['model', 'failed'],
  'tool.completed': ['tool', 'completed'],
  'tool.failed': ['tool', 'failed'],
  'tool.denied': ['tool', 'denied'],
  'approval.expired': ['wait', 'denied'],
}

/** The spans of a run in the order in which they began: stages, steps, model calls, tool calls, waits for a person. */
export class Spans {
  readonly all: Span[] = []
  readonly #open = new Map<string, Span>()

  apply(event: RunEvent): void {
    switch (event.type) {
      case 'stage.started':
        this.#begin(event, 'stage', event.stage ?? '')
        return
      case 'step.started':
        this.#begin(event, 'step', event.stepId ?? '')
        return
      case 'model.started':
        this.#begin(event, 'model', event.data.model)
        return
      case 'tool.requested':
        this.#begin(event, 'tool', event.data.tool)
        return
      case 'approval.requested': {
        const call = this.#open.get(`tool ${event.data.agentId}|${event.data.callId}`)
        this.#begin(event, 'wait', `waits for a person: ${event.data.tool}`, call)
        return
      }
      case 'step.retrying':
      case 'model.retrying': {
        const span = this.#of(event.type === 'step.retrying' ? 'step' : 'model', event)
        if (span !== undefined) span.retries++
        return
      }
      case 'approval.resolved':
        this.#end(event, 'wait', event.data.decision === 'deny' ? 'denied' : 'completed')
        return
      case 'model.completed':
      case 'model.failed': {
        // What a record answers was never begun.
        if (this.#of('model', event) === undefined) this.#begin(event, 'model', event.data.model).isRecorded = true
        const { inputTokens = 0, outputTokens = 0 } = event.data.usage ?? {}
        for (let span = this.#of('model', event); span !== undefined; span = span.parent)
          span.tokens += inputTokens + outputTokens
      }
    }
    const end = ENDS[event.type]
    if (end !== undefined) this.#end(event, end[0], wasCutOff(event) ? 'cancelled' : end[1])
    if (!isTerminalEvent(event)) return
    for (const span of this.#open.values()) close(span, event, 'cancelled')
    this.#open.clear()
  }

  #of(kind: SpanKind, event: RunEvent): Span | undefined {
    return this.#open.get(keyOf(kind, event))
  }

  #begin(event: RunEvent, kind: SpanKind, label: string, within?: Span): Span {
    // What a crash cut off begins again.
    this.#end(event, kind, 'cancelled')
    const parent = within ?? this.#of('step', event) ?? (kind === 'stage' ? undefined : this.#of('stage', event))
    const { seq = 0, agentId, stepId, callId, time } = event
    const counts = { tokens: 0, retries: 0, isRecorded: false }
    const place = { agentId, stepId, callId, startedAt: Date.parse(time) }
    const span: Span = { seq, kind, label, parent, ...place, status: 'running', ...counts }
    this.all.push(span)
    this.#open.set(keyOf(kind, event), span)
    return span
  }

  #end(event: RunEvent, kind: SpanKind, status: Span['status']): void {
    const span = this.#of(kind, event)
    if (span === undefined) return
    this.#open.delete(keyOf(kind, event))
    close(span, event, status)
  }
}

const wasCutOff = ({ data }: RunEvent): boolean => (data as { error?: ErrorInfo }).error?.code === 'cancelled'

function close(span: Span, event: RunEvent, status: Span['status']): void {
  span.endedAt = Math.max(span.startedAt, Date.parse(event.time))
  if (event.seq !== undefined) span.endSeq = event.seq
  span.status = status
}

function keyOf(kind: SpanKind, event: RunEvent): string {
  switch (kind) {
    case 'stage':
      return `stage ${event.stage}`
    case 'step':
      return `step ${event.stepId}`
    case 'wait':
      return `wait ${event.approvalId ?? (event.type === 'approval.requested' ? event.data.id : '')}`
    default:
      return `${kind} ${event.agentId}|${event.callId}`
  }
}
