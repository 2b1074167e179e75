import type { PlanEntryStatus, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import { type Plan, type RunEvent, RunView } from '@svc/core'
import { AnswerPieces } from './answer-pieces.ts'
import { type EditorCall, type EditorCallOptions, toEditorCall } from './editor-call.ts'

/** Of what a tool returned or printed. */
const MOST_OUTPUT_CHARS = 20_000

export interface RunUpdatesOptions extends EditorCallOptions {
  /** What a file held before a call that writes it; null: it was missing, undefined: nobody knows. */
  beforeOf?(call: { agentId?: string; callId?: string }): string | null | undefined
}

/** What an editor is shown of one run, from the run's events in order. */
export class RunUpdates {
  readonly #send: (update: SessionUpdate) => void
  readonly #options: RunUpdatesOptions
  readonly #answer: AnswerPieces
  readonly #view = new RunView()
  readonly #output = new Map<string, string>()
  /** The plan as it was last shown. */
  #shownPlan = ''

  constructor(send: (update: SessionUpdate) => void, runId: string, options: RunUpdatesOptions) {
    this.#send = send
    this.#options = options
    this.#answer = new AnswerPieces((text, message) =>
      send({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: options.redact(text) },
        messageId: `${runId}/${message}`,
      }),
    )
  }

  /** The id that a call has for the editor: models repeat theirs. */
  callIdOf({ agentId, callId, runId }: { agentId?: string; callId?: string; runId: string }): string {
    const seq = this.#view.findToolCall(agentId, callId)?.requestedSeq
    return `${runId}/${seq ?? callId ?? ''}`
  }

  /** What of a call the editor is shown. */
  shownCall(call: { tool: string; args: unknown; agentId?: string; callId?: string }): EditorCall {
    return toEditorCall(call, this.#options, this.#options.beforeOf?.(call))
  }

  apply(event: RunEvent): void {
    this.#answer.apply(event)
    if (event.type === 'message.delta') return // the most of all, and nothing else is in it
    this.#view.apply(event)
    switch (event.type) {
      case 'reasoning.delta':
        this.#send({
          sessionUpdate: 'agent_thought_chunk',
          content: { type: 'text', text: this.#options.redact(event.data.text) },
          messageId: `${event.runId}/thought/${event.callId ?? ''}`,
        })
        return
      case 'plan.created':
      case 'plan.revised':
      case 'step.started':
      case 'step.retrying':
      case 'step.completed':
      case 'step.failed':
      case 'step.skipped':
        this.#showPlan(this.#view.plan)
        return
      case 'tool.requested': {
        const { tool, args } = event.data
        this.#send({
          sessionUpdate: 'tool_call',
          toolCallId: this.callIdOf(event),
          status: 'pending',
          name: tool,
          rawInput: args,
          ...this.shownCall({ ...placeOf(event), tool, args }),
        })
        return
      }
      case 'tool.started':
        this.#update(event, { status: 'in_progress' })
        return
      case 'tool.output':
        this.#addOutput(event, event.data.chunk)
        return
      case 'tool.completed':
        this.#end(event, 'completed', event.data.result)
        return
      case 'tool.failed':
        this.#end(event, 'failed', event.data.error.message)
        return
      case 'tool.denied':
        this.#end(event, 'failed', `Not done: ${event.data.reason}`)
        return
    }
  }

  #update(event: RunEvent, change: Partial<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>>): void {
    this.#send({ ...change, sessionUpdate: 'tool_call_update', toolCallId: this.callIdOf(event) })
  }

  /** Content replaces content: what is printed is shown in steps that grow, so that all of it is not sent again and again. */
  #addOutput(event: RunEvent, chunk: string): void {
    const key = this.callIdOf(event)
    const known = this.#output.get(key) ?? ''
    const all = known + chunk
    this.#output.set(key, all)
    const isWorthIt = known === '' || all.length >> 10 !== known.length >> 10
    if (isWorthIt && all.length <= MOST_OUTPUT_CHARS) this.#update(event, { content: [this.#text(all)] })
  }

  /** The difference that a call makes in files stays there; what it answered is beside it only where it failed. */
  #end(event: RunEvent, status: 'completed' | 'failed', result: string): void {
    this.#output.delete(this.callIdOf(event))
    const call = this.#view.findToolCall(event.agentId, event.callId)
    const { tool = '', args } = call ?? {}
    const { content: diffs = [] } = this.shownCall({ ...placeOf(event), tool, args })
    const isSaid = diffs.length > 0 && status === 'completed'
    const content = isSaid ? diffs : [...(status === 'completed' ? [] : diffs), this.#text(result)]
    this.#update(event, { status, content, rawOutput: this.#cut(result) })
  }

  #text(text: string): ToolCallContent {
    return { type: 'content', content: { type: 'text', text: this.#cut(text) } }
  }

  #cut(text: string): string {
    const shown = this.#options.redact(text)
    if (shown.length <= MOST_OUTPUT_CHARS) return shown
    return `${shown.slice(0, MOST_OUTPUT_CHARS)}\n… ${shown.length - MOST_OUTPUT_CHARS} more characters`
  }

  /** A plan of one step is the task itself. */
  #showPlan(plan: Plan | undefined): void {
    if (plan === undefined || plan.steps.length < 2) return
    const entries = plan.steps.map(({ id, objective }) => ({
      content: objective,
      priority: 'medium' as const,
      status: STEP_STATUS[this.#view.steps.get(id)?.status ?? 'pending'] ?? ('completed' as const),
    }))
    const shown = JSON.stringify(entries)
    if (shown === this.#shownPlan) return
    this.#shownPlan = shown
    this.#send({ sessionUpdate: 'plan', entries })
  }
}

const placeOf = ({ agentId = '', callId = '' }: RunEvent): { agentId: string; callId: string } => ({ agentId, callId })

/** Everything else has ended. */
const STEP_STATUS: Readonly<Record<string, PlanEntryStatus>> = {
  pending: 'pending',
  running: 'in_progress',
  waiting: 'in_progress',
}
