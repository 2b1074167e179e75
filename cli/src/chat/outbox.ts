import { readCall } from '../input/slash-commands.ts'
import type { TurnMessages } from './turn-messages.ts'

/** What a person typed while a turn works: sent to it, or waiting for its end. */
export class Outbox {
  /** The next turns, in order. */
  readonly #queue: string[] = []
  #messages: TurnMessages | undefined
  #isStopped = false

  /** A turn begins. @param messages what is said to it; undefined: all waits for its end */
  begin(messages: TurnMessages | undefined): void {
    this.#messages = messages
    this.#isStopped = false
  }

  end(): void {
    this.#messages = undefined
  }

  /** The turn is to stop. @returns what waited: it was said in the belief that the turn goes on */
  stop(): string[] {
    this.#isStopped = true
    return this.#queue.splice(0)
  }

  /** Whether what is put in goes to the turn at work. */
  get isSending(): boolean {
    return this.#messages !== undefined && !this.#isStopped
  }

  /** @param waits whether it is a turn of its own, as a command always is @returns false where it waits */
  put(text: string, waits: boolean): boolean {
    const isSent = this.isSending && !waits && readCall(text) === undefined
    if (isSent) this.#messages?.send(text)
    else this.#queue.push(text)
    return isSent
  }

  /** Makes a text the next turn, before all that waits. */
  putFirst(text: string): void {
    this.#queue.unshift(text)
  }

  next(): string | undefined {
    return this.#queue.shift()
  }

  /** Takes back what was queued last. */
  takeBack(): string | undefined {
    return this.#queue.pop()
  }

  get hasQueued(): boolean {
    return this.#queue.length > 0
  }

  clear(): void {
    this.#queue.length = 0
  }

  /** Each text with where it stands. */
  get lines(): string[] {
    const unread = this.#messages?.unread ?? []
    return [
      ...unread.map(({ text, isRefused }) => `${isRefused ? 'queued' : 'sent, read before the next step'}: ${text}`),
      ...this.#queue.map((text) => `queued: ${text}`),
    ]
  }
}
