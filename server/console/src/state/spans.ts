import type { RunEvent } from '@svc/core/client'

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

/** The spans of a run in the order in which they began: stages, steps, model calls, tool calls, waits for a person. */
export class Spans {
  readonly all: Span[] = []
  readonly #open = new Map<string, Span>()

  apply(event: RunEvent): void {
    switch (event.type) {
      case 'stage.started':
        this.#begin(event, 'stage', event.stage ?? '', undefined)
        return
      case 'stage.completed':
        this.#end(event, 'stage', 'completed')
        return
      case 'stage.failed':
        this.#end(event, 'stage', 'failed')
        return
      case 'step.started':
        this.#begin(event, 'step', event.stepId ?? '', this.#of('stage', event))
        return
      case 'step.retrying':
        this.#retry(event, 'step')
        return
      case 'step.completed':
        this.#end(event, 'step', 'completed')
        return
      case 'step.failed':
        this.#end(event, 'step', 'failed')
        return
      case 'step.skipped':
        this.#end(event, 'step', 'skipped')
        return
      case 'model.started':
        this.#begin(event, 'model', event.data.model, this.#of('step', event) ?? this.#of('stage', event))
        return
      case 'model.retrying':
        this.#retry(event, 'model')
        return
      case 'model.completed':
      case 'model.failed': {
        const { usage } = event.data
        // What a record answers was never begun.
        if (this.#of('model', event) === undefined) {
          const parent = this.#of('step', event) ?? this.#of('stage', event)
          this.#begin(event, 'model', event.data.model, parent).isRecorded = true
        }
        const ended = this.#end(event, 'model', event.type === 'model.failed' ? 'failed' : 'completed')
        const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
        for (let span = ended; span !== undefined; span = span.parent) span.tokens += tokens
        return
      }
      case 'tool.requested':
        this.#begin(event, 'tool', event.data.tool, this.#of('step', event) ?? this.#of('stage', event))
        return
      case 'tool.completed':
        this.#end(event, 'tool', 'completed')
        return
      case 'tool.failed':
        this.#end(event, 'tool', 'failed')
        return
      case 'tool.denied':
        this.#end(event, 'tool', 'denied')
        return
      case 'approval.requested': {
        const call = this.#open.get(`tool ${event.data.agentId}|${event.data.callId}`)
        this.#begin(event, 'wait', `waits for a person: ${event.data.tool}`, call ?? this.#of('stage', event))
        return
      }
      case 'approval.resolved':
        this.#end(event, 'wait', event.data.decision === 'deny' ? 'denied' : 'completed')
        return
      case 'approval.expired':
        this.#end(event, 'wait', 'denied')
        return
      case 'run.completed':
      case 'run.incomplete':
      case 'run.failed':
      case 'run.cancelled':
        for (const span of this.#open.values()) this.#close(span, event, 'cancelled')
        this.#open.clear()
        return
    }
  }

  #of(kind: SpanKind, event: RunEvent): Span | undefined {
    return this.#open.get(keyOf(kind, event))
  }

  #begin(event: RunEvent, kind: SpanKind, label: string, parent: Span | undefined): Span {
    const { agentId, stepId, callId } = event
    const before = this.#of(kind, event)
    // What a crash cut off begins again.
    if (before !== undefined) this.#close(before, event, 'cancelled')
    const span: Span = {
      seq: event.seq ?? 0,
      kind,
      label,
      parent,
      startedAt: Date.parse(event.time),
      status: 'running',
      agentId,
      stepId,
      callId,
      tokens: 0,
      retries: 0,
      isRecorded: false,
    }
    this.all.push(span)
    this.#open.set(keyOf(kind, event), span)
    return span
  }

  #retry(event: RunEvent, kind: SpanKind): void {
    const span = this.#of(kind, event)
    if (span !== undefined) span.retries++
  }

  #end(event: RunEvent, kind: SpanKind, status: Span['status']): Span | undefined {
    const span = this.#of(kind, event)
    if (span === undefined) return undefined
    this.#open.delete(keyOf(kind, event))
    this.#close(span, event, status)
    return span
  }

  #close(span: Span, event: RunEvent, status: Span['status']): void {
    span.endedAt = Math.max(span.startedAt, Date.parse(event.time))
    if (event.seq !== undefined) span.endSeq = event.seq
    span.status = status
  }
}

function keyOf(kind: SpanKind, event: RunEvent): string {
  switch (kind) {
    case 'stage':
      return `stage ${event.stage}`
    case 'step':
      return `step ${event.stepId}`
    case 'model':
    case 'tool':
      return `${kind} ${event.agentId}|${event.callId}`
    case 'wait':
      return `wait ${event.approvalId ?? (event.type === 'approval.requested' ? event.data.id : '')}`
  }
}
