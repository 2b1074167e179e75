import type { ContentPart, EventOf, RunEvent } from '@svc/core/client'

/**
 * Keeps the pieces of answers whole over cuts: pieces that were sent while nobody listened are handed on as one, and none
 * comes twice.
 */
export class Pieces {
  /** Text that the reader has of each model call. */
  readonly #said = new Map<string, string>()
  #mayMiss: boolean
  #answer: EventOf<'message.snapshot'> | undefined

  /** @param mayMiss pieces may be missing from the start, since the run began before its stream */
  constructor(mayMiss: boolean) {
    this.#mayMiss = mayMiss
  }

  /** From now on pieces may be missing. */
  cut(): void {
    this.#mayMiss = true
  }

  /** The event, after what was missing before it; nothing for what is there already. */
  apply(event: RunEvent): RunEvent[] {
    if (event.callId === undefined) return this.#applyToRun(event)
    const key = `${event.agentId}|${event.callId}`
    switch (event.type) {
      case 'message.delta':
        this.#said.set(key, (this.#said.get(key) ?? '') + event.data.text)
        return [event]
      case 'message.snapshot':
        if (this.#mayMiss) return this.#fill(key, event.data.textSoFar, event)
        this.#said.set(key, event.data.textSoFar)
        return [event]
      case 'message.completed': {
        if (event.data.streamed === false) return [event]
        const missing = this.#mayMiss ? this.#fill(key, textOf(event.data.content), event) : []
        this.#said.delete(key)
        return [...missing, event]
      }
      case 'model.started':
      case 'model.retrying':
      case 'model.failed':
        this.#said.delete(key)
        return [event]
      default:
        return [event]
    }
  }

  /** The answer of the run, which is of no call, is sent in several pieces where it is long, and handed on as one. */
  #applyToRun(event: RunEvent): RunEvent[] {
    const answer = this.#answer
    if (event.type === 'message.snapshot') this.#answer = event
    else if (event.type === 'message.delta' && answer !== undefined)
      this.#answer = { ...answer, data: { textSoFar: answer.data.textSoFar + event.data.text } }
    else {
      if (event.type === 'run.recovered') this.#said.clear()
      this.#answer = undefined
      return answer === undefined ? [event] : [answer, event]
    }
    return []
  }

  /** What is missing of a text, as a piece; where what the reader has is no beginning of it, the text in its place. */
  #fill(key: string, text: string, { seq: _, ...event }: RunEvent): RunEvent[] {
    const known = this.#said.get(key) ?? ''
    this.#said.set(key, text)
    if (text === known) return []
    const piece = text.startsWith(known)
      ? { type: 'message.delta', data: { text: text.slice(known.length) } }
      : { type: 'message.snapshot', data: { textSoFar: text } }
    return [{ ...event, ...piece } as RunEvent]
  }
}

const textOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('')
