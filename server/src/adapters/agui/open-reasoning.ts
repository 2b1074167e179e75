import type { RunEvent } from '@svc/core'
import type { AguiEvent } from './wire.ts'

/** What models think aloud, call by call, while it goes on. */
export class OpenReasoning {
  readonly #newId: () => string
  readonly #send: (event: AguiEvent) => void
  /** Message ids by agent and call. */
  readonly #open = new Map<string, string>()

  constructor(newId: () => string, send: (event: AguiEvent) => void) {
    this.#newId = newId
    this.#send = send
  }

  apply(event: RunEvent, isLive: boolean): void {
    const { agentId, callId, stage = 'execute' } = event
    if (callId === undefined || stage !== 'execute') return
    const key = `${agentId} ${callId}`
    if (event.type === 'reasoning.delta' && isLive && event.data.text !== '') this.#think(key, event.data.text)
    else if (ENDS.has(event.type)) this.#end(key)
  }

  endAll(): void {
    for (const key of this.#open.keys()) this.#end(key)
  }

  #think(key: string, delta: string): void {
    let messageId = this.#open.get(key)
    if (messageId === undefined) {
      messageId = this.#newId()
      this.#open.set(key, messageId)
      this.#send({ type: 'REASONING_START', messageId })
      this.#send({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' })
    }
    this.#send({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta })
  }

  #end(key: string): void {
    const messageId = this.#open.get(key)
    if (messageId === undefined) return
    this.#open.delete(key)
    this.#send({ type: 'REASONING_MESSAGE_END', messageId })
    this.#send({ type: 'REASONING_END', messageId })
  }
}

const ENDS: ReadonlySet<string> = new Set(['message.delta', 'model.completed', 'model.failed', 'model.retrying'])
