import { isTerminalEvent, type RunEvent } from '@svc/core'

/** Messages that are being said at this moment, with the text so far, of one run. */
export class OpenMessages {
  readonly #open = new Map<string, { event: RunEvent; text: string }>()

  constructor(other?: OpenMessages) {
    for (const [key, message] of other === undefined ? [] : other.#open) this.#open.set(key, { ...message })
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  apply(event: RunEvent): void {
    const key = `${event.agentId}|${event.callId}`
    if (event.type === 'message.delta') {
      const message = this.#open.get(key)
      if (message === undefined) this.#open.set(key, { event, text: event.data.text })
      else message.text += event.data.text
    } else if (ENDS.has(event.type)) this.#open.delete(key)
    else if (isTerminalEvent(event)) this.#open.clear()
  }

  /** One event for each, for a reader that comes in the middle. */
  snapshots(): RunEvent[] {
    return [...this.#open.values()].map(
      ({ event, text }) => ({ ...event, type: 'message.snapshot', data: { textSoFar: text } }) as RunEvent,
    )
  }
}

/** A try that begins again says everything again. */
const ENDS: ReadonlySet<string> = new Set(['message.completed', 'model.completed', 'model.failed', 'model.retrying'])
