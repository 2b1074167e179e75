import type { ClientCall, Run, RunEvent } from '@svc/core'
import { clientToolName } from '@svc/core/schema'
import { toId } from '../shared/ids.ts'
import type { AguiEvent } from './wire.ts'

/** Calls of tools: those of svc with what came of them, and those that the page is to make. */
export class ShownCalls {
  readonly #run: Pick<Run, 'id'>
  readonly #newId: () => string
  readonly #send: (event: AguiEvent) => void
  /** Calls of svc's tools that have not ended: their ids on the page, by agent and call. */
  readonly #open = new Map<string, string>()
  /** Calls that the page was asked for. */
  readonly #asked = new Set<string>()
  /** The message that calls belong to, until one has ended. */
  parent: string | undefined

  constructor(run: Pick<Run, 'id'>, newId: () => string, send: (event: AguiEvent) => void) {
    this.#run = run
    this.#newId = newId
    this.#send = send
  }

  /** The call on the page that an agent has begun and that has not ended. */
  idOf({ agentId, callId }: Pick<ClientCall, 'agentId' | 'callId'>): string | undefined {
    return this.#open.get(`${agentId} ${callId}`)
  }

  apply(event: RunEvent): void {
    const key = `${event.agentId} ${event.callId}`
    switch (event.type) {
      case 'tool.requested': {
        const { tool, args } = event.data
        // A call that a crash cut off is asked for again.
        if (clientToolName(tool) !== undefined || this.#open.has(key)) return
        const id = toId('tool', this.#run.id, event.seq ?? 0)
        this.#open.set(key, id)
        this.#show(id, tool, args)
        return
      }
      case 'run.waiting':
        for (const { id, tool, args } of event.data.calls ?? []) {
          if (this.#asked.has(id)) continue
          this.#asked.add(id)
          this.#show(id, tool, args)
        }
        return
      case 'tool.completed':
        this.#answer(key, event.data.result)
        return
      case 'tool.failed':
        this.#answer(key, event.data.error.message)
        return
      case 'tool.denied':
        this.#answer(key, [event.data.reason, event.data.note ?? ''].filter((text) => text !== '').join(': '))
        return
    }
  }

  #show(id: string, tool: string, args: unknown): void {
    this.parent ??= this.#newId()
    this.#send({ type: 'TOOL_CALL_START', toolCallId: id, toolCallName: tool, parentMessageId: this.parent })
    this.#send({ type: 'TOOL_CALL_ARGS', toolCallId: id, delta: JSON.stringify(args ?? {}) })
    this.#send({ type: 'TOOL_CALL_END', toolCallId: id })
  }

  #answer(key: string, content: string): void {
    const id = this.#open.get(key)
    if (id === undefined) return
    this.#open.delete(key)
    this.parent = undefined
    this.#send({ type: 'TOOL_CALL_RESULT', messageId: this.#newId(), toolCallId: id, content, role: 'tool' })
  }
}
