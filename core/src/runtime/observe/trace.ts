import { isTerminalEvent, type RunEvent } from '../../contracts/log/event.ts'
import type { RunTrace, Span } from '../../contracts/log/run-trace.ts'
import { toText } from '../../contracts/model/message-text.ts'
import { nameOf } from '../../support/ids.ts'
import { callerOf, rootSpanOf, traceIdOf } from './trace-context.ts'
import { FINISH_REASONS, NAMES } from './trace-names.ts'

type Attributes = Record<string, unknown>

const ROOT = 'run'

/** Makes the span tree of a run from its events: run, plan, agents, model and tool calls, memory. */
class TraceBuilder {
  readonly spans: Span[] = []
  traceId: string
  readonly #runId: string
  readonly #hasContent: boolean
  readonly #open = new Map<string, Span>()
  /** The span that each key had last: a message is said after its call. */
  readonly #last = new Map<string, Span>()
  /** Names and versions of the agents, by id. */
  readonly #agents = new Map<string, { name: string; version?: number }>()

  constructor(runId: string, hasContent: boolean) {
    this.#runId = runId
    this.#hasContent = hasContent
    this.traceId = traceIdOf(runId, undefined)
  }

  apply(event: RunEvent): void {
    const agentId = event.agentId ?? ''
    const agent = `agent ${agentId}`
    const call = `call ${agentId} ${event.callId}`
    switch (event.type) {
      case 'run.created': {
        const caller = callerOf(event)
        this.traceId = traceIdOf(this.#runId, event)
        this.#begin(ROOT, 'invoke_workflow svc', event, {
          [NAMES.operation]: 'invoke_workflow',
          ...(event.threadId !== undefined && { [NAMES.conversationId]: event.threadId }),
          ...this.#content(NAMES.inputMessages, () => [messageOf('user', event.data.task)]),
        })
        const [root] = this.spans
        if (root !== undefined && caller !== undefined) root.parentSpanId = caller.spanId
        return
      }
      case 'stage.started':
        if (event.stage === 'plan') this.#begin('plan', 'plan', event, { [NAMES.operation]: 'plan' }, ROOT)
        return
      case 'stage.completed':
      case 'stage.failed':
        if (event.stage !== 'plan') return
        if (event.type === 'stage.completed') this.#end('plan', event)
        else this.#fail('plan', event, event.data.error.code)
        return
      case 'plan.created':
        for (const planned of event.data.agents) this.#agents.set(planned.agentId, { name: planned.name })
        return
      case 'agent.created': {
        const { id, name } = event.data
        this.#agents.set(id, 'version' in event.data ? { name, version: event.data.version } : { name })
        return
      }
      case 'agent.started': {
        const { name = agentId, version } = this.#agents.get(agentId) ?? {}
        const attributes = {
          [NAMES.operation]: 'invoke_agent',
          [NAMES.agentId]: agentId,
          [NAMES.agentName]: name,
          ...(version !== undefined && { [NAMES.agentVersion]: String(version) }),
        }
        this.#begin(agent, `invoke_agent ${name}`, event, attributes, ROOT)
        return
      }
      case 'agent.completed':
        this.#end(agent, event)
        return
      case 'agent.failed':
        if (!event.data.willRetry) this.#fail(agent, event, event.data.error.code)
        return
      case 'agent.cancelled':
        this.#fail(agent, event, 'cancelled')
        return
      case 'model.started': {
        const { provider, model, server } = event.data
        const attributes = {
          [NAMES.operation]: 'chat',
          [NAMES.provider]: provider,
          [NAMES.requestModel]: model,
          ...(server && { [NAMES.serverAddress]: server.address, [NAMES.serverPort]: server.port }),
        }
        this.#begin(call, `chat ${model}`, event, attributes, agent, 'CLIENT')
        return
      }
      case 'model.completed': {
        const { model, finishReason, usage, responseId } = event.data
        const { cachedTokens, cacheWriteTokens, reasoningTokens } = usage
        this.#end(call, event, {
          [NAMES.responseModel]: model,
          ...(responseId !== undefined && { [NAMES.responseId]: responseId }),
          [NAMES.finishReasons]: [FINISH_REASONS[finishReason] ?? finishReason],
          [NAMES.inputTokens]: usage.inputTokens,
          [NAMES.outputTokens]: usage.outputTokens,
          ...(cachedTokens !== undefined && { [NAMES.cachedTokens]: cachedTokens }),
          ...(cacheWriteTokens !== undefined && { [NAMES.cacheWriteTokens]: cacheWriteTokens }),
          ...(reasoningTokens !== undefined && { [NAMES.reasoningTokens]: reasoningTokens }),
        })
        return
      }
      case 'message.completed': {
        const text = toText(event.data.content)
        const said = this.#content(NAMES.outputMessages, () => [messageOf('assistant', text)])
        Object.assign(this.#last.get(call)?.attributes ?? {}, said)
        return
      }
      case 'model.failed':
        this.#fail(call, event, event.data.error.code)
        return
      case 'tool.requested': {
        const { tool, args } = event.data
        const attributes = {
          [NAMES.operation]: 'execute_tool',
          [NAMES.tool]: tool,
          [NAMES.toolType]: 'function',
          [NAMES.toolCallId]: event.callId,
          ...this.#content(NAMES.toolArguments, () => args),
        }
        this.#begin(call, `execute_tool ${tool}`, event, attributes, agent)
        return
      }
      case 'tool.completed':
        this.#end(call, event, { ...this.#content(NAMES.toolResult, () => event.data.result) })
        return
      case 'tool.failed':
        this.#fail(call, event, event.data.error.code)
        return
      case 'tool.denied':
        this.#fail(call, event, event.data.error?.code ?? 'policy_denied')
        return
      case 'memory.recalled':
      case 'memory.written': {
        const operation = event.type === 'memory.recalled' ? 'search_memory' : 'create_memory'
        this.#begin(operation, operation, event, { [NAMES.operation]: operation }, agent)
        this.#end(operation, event)
        return
      }
      default:
        if (isTerminalEvent(event)) this.#endAll(event)
    }
  }

  #content(name: string, read: () => unknown): Attributes {
    if (!this.#hasContent) return {}
    const value = read()
    return { [name]: typeof value === 'string' ? value : JSON.stringify(value) }
  }

  #begin(
    key: string,
    name: string,
    event: RunEvent,
    attributes: Attributes,
    parent?: string,
    kind: Span['kind'] = 'INTERNAL',
  ): void {
    // Of an earlier life, which did not come to its end.
    this.#end(key, event, {}, 'unset')
    const above = parent === undefined ? undefined : (this.#open.get(parent) ?? this.#open.get(ROOT))
    const span: Span = {
      spanId: key === ROOT ? rootSpanOf(this.#runId) : nameOf(16, this.#runId, key, this.spans.length),
      ...(above !== undefined && { parentSpanId: above.spanId }),
      name,
      kind,
      startTime: event.time,
      status: 'unset',
      attributes,
    }
    this.spans.push(span)
    this.#open.set(key, span)
    this.#last.set(key, span)
  }

  #end(key: string, { time }: RunEvent, attributes: Attributes = {}, status: Span['status'] = 'ok'): void {
    const span = this.#open.get(key)
    if (span === undefined) return
    this.#open.delete(key)
    span.endTime = time
    span.status = status
    Object.assign(span.attributes, attributes)
  }

  #fail(key: string, event: RunEvent, code: string): void {
    this.#end(key, event, { [NAMES.error]: code }, 'error')
  }

  #endAll(event: RunEvent & { type: `run.${'completed' | 'incomplete' | 'failed' | 'cancelled'}` }): void {
    const { result } = event.data
    if ('summary' in result) {
      const root = this.#open.get(ROOT)
      const output = this.#content(NAMES.outputMessages, () => [messageOf('assistant', result.summary)])
      if (root !== undefined) Object.assign(root.attributes, output)
    }
    const reason = 'incomplete' in result ? result.incomplete?.reason : undefined
    const error = 'error' in result ? result.error?.code : undefined
    for (const key of [...this.#open.keys()]) {
      if (event.type === 'run.completed') this.#end(key, event)
      else this.#fail(key, event, error ?? reason ?? event.type.slice('run.'.length))
    }
  }
}

/** A message as OpenTelemetry's conventions write it. */
const messageOf = (role: string, content: string): object => ({ role, parts: [{ type: 'text', content }] })

/**
 * The spans of a run, from its events. What was said stays out unless it is asked for.
 *
 * @param events of the run, from the first on
 */
export async function traceOf(
  runId: string,
  events: AsyncIterable<RunEvent> | Iterable<RunEvent>,
  { content = false }: { content?: boolean } = {},
): Promise<RunTrace> {
  const trace = new TraceBuilder(runId, content)
  for await (const event of events) trace.apply(event)
  return { runId, traceId: trace.traceId, spans: trace.spans }
}
