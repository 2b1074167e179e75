import { isTerminalEvent, type RunEvent } from '@svc/core'
import { ByName } from '@svc/core/schema'
import type { Static } from 'typebox'
import * as Type from 'typebox'

/** One span, named as OpenTelemetry's conventions for generative AI name it. */
export const Span = Type.Object({
  spanId: Type.String({ description: '16 hexadecimal digits' }),
  parentSpanId: Type.Optional(Type.String()),
  name: Type.String(),
  kind: Type.Enum(['INTERNAL', 'CLIENT']),
  startTime: Type.String(),
  endTime: Type.Optional(Type.String({ description: 'absent while it goes on' })),
  status: Type.Enum(['unset', 'ok', 'error']),
  attributes: ByName(Type.Unknown()),
})
export type Span = Static<typeof Span>

export const RunTrace = Type.Object({ runId: Type.String(), traceId: Type.String(), spans: Type.Array(Span) })
export type RunTrace = Static<typeof RunTrace>

type Attributes = Record<string, unknown>

/** Makes the span tree of a run from its events: run, plan, agents, model and tool calls. Their content stays out. */
class TraceBuilder {
  readonly spans: Span[] = []
  readonly #open = new Map<string, Span>()
  readonly #idOf: (key: string) => string

  constructor(idOf: (key: string) => string) {
    this.#idOf = idOf
  }

  begin(
    key: string,
    name: string,
    { time }: RunEvent,
    attributes: Attributes,
    parent?: string,
    kind: Span['kind'] = 'INTERNAL',
  ): void {
    const parentSpanId = parent === undefined ? undefined : (this.#open.get(parent) ?? this.#open.get('run'))?.spanId
    const span: Span = {
      spanId: this.#idOf(`${key}#${this.spans.length}`),
      ...(parentSpanId !== undefined && { parentSpanId }),
      name,
      kind,
      startTime: time,
      status: 'unset',
      attributes,
    }
    this.spans.push(span)
    this.#open.set(key, span)
  }

  end(key: string, { time }: RunEvent, status: Span['status'], attributes: Attributes = {}): void {
    const span = this.#open.get(key)
    if (span === undefined) return
    this.#open.delete(key)
    span.endTime = time
    span.status = status
    Object.assign(span.attributes, attributes)
  }

  endAll(event: RunEvent, status: Span['status']): void {
    for (const key of [...this.#open.keys()]) this.end(key, event, status)
  }
}

/**
 * @param events of the run, from the first on
 * @param hash hexadecimal digits that depend on nothing but the text
 */
export async function traceOf(
  runId: string,
  events: AsyncIterable<RunEvent>,
  hash: (text: string) => string,
): Promise<RunTrace> {
  const trace = new TraceBuilder((key) => hash(`${runId} ${key}`).slice(0, 16))
  let traceId = hash(runId).slice(0, 32)
  for await (const event of events) {
    apply(trace, event)
    if (isTerminalEvent(event)) {
      const { result } = event.data
      if ('traceId' in result) traceId = result.traceId
    }
  }
  return { runId, traceId, spans: trace.spans }
}

function apply(trace: TraceBuilder, event: RunEvent): void {
  const agentId = event.agentId ?? ''
  const agent = `agent ${agentId}`
  const call = `call ${agentId} ${event.callId}`
  switch (event.type) {
    case 'run.created':
      trace.begin('run', 'invoke_workflow svc', event, {
        'gen_ai.operation.name': 'invoke_workflow',
        ...(event.threadId !== undefined && { 'gen_ai.conversation.id': event.threadId }),
      })
      return
    case 'stage.started':
      if (event.stage === 'plan') trace.begin('plan', 'plan', event, { 'gen_ai.operation.name': 'plan' }, 'run')
      return
    case 'stage.completed':
    case 'stage.failed':
      if (event.stage === 'plan') trace.end('plan', event, event.type === 'stage.completed' ? 'ok' : 'error')
      return
    case 'agent.started':
      trace.begin(
        agent,
        `invoke_agent ${agentId}`,
        event,
        { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': agentId },
        'run',
      )
      return
    case 'agent.completed':
      trace.end(agent, event, 'ok')
      return
    case 'agent.failed':
      if (!event.data.willRetry) trace.end(agent, event, 'error', { 'error.type': event.data.error.code })
      return
    case 'agent.cancelled':
      trace.end(agent, event, 'error', { 'error.type': 'cancelled' })
      return
    case 'model.started': {
      const { provider, model } = event.data
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
      }
      trace.begin(call, `chat ${model}`, event, attributes, agent, 'CLIENT')
      return
    }
    case 'model.completed': {
      const { model, finishReason, usage } = event.data
      trace.end(call, event, 'ok', {
        'gen_ai.response.model': model,
        'gen_ai.response.finish_reasons': [finishReason],
        'gen_ai.usage.input_tokens': usage.inputTokens,
        'gen_ai.usage.output_tokens': usage.outputTokens,
      })
      return
    }
    case 'model.failed':
      trace.end(call, event, 'error', { 'error.type': event.data.error.code })
      return
    case 'tool.requested': {
      const { tool } = event.data
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': event.callId,
      }
      trace.begin(call, `execute_tool ${tool}`, event, attributes, agent)
      return
    }
    case 'tool.completed':
      trace.end(call, event, 'ok')
      return
    case 'tool.failed':
      trace.end(call, event, 'error', { 'error.type': event.data.error.code })
      return
    case 'tool.denied':
      trace.end(call, event, 'error', { 'error.type': event.data.error?.code ?? 'policy_denied' })
      return
    default:
      if (isTerminalEvent(event)) trace.endAll(event, event.type === 'run.completed' ? 'ok' : 'error')
  }
}
