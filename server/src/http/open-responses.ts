import type { ServerResponse } from 'node:http'

/** Bytes of answers that wait for their readers, all together; the oldest are cut where there are more. Streams have a bound of their own. */
const MOST_UNREAD_BYTES = 67_108_864
/** How long a reader may take nothing of what waits for it. */
export const STALL_MS = 60_000

/** The responses that are not finished yet. */
export class OpenResponses {
  /** The oldest first. */
  readonly #open = new Set<ServerResponse>()
  #onIdle: (() => void) | undefined

  add(response: ServerResponse): void {
    this.#open.add(response)
    response.on('prefinish', () => {
      if (response.writableLength === 0) return
      response.setTimeout(STALL_MS) // Node closes a socket that has a timeout and nobody who hears of it
      this.#bound(response)
    })
    response.on('close', () => {
      this.#open.delete(response)
      if (this.#open.size === 0) this.#onIdle?.()
    })
  }

  /** Resolves when there is none. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  /** Who does not read costs those who do not read, and never the newest answer. */
  #bound(newest: ServerResponse): void {
    const waiting = [...this.#open].filter(({ writableEnded, writableFinished }) => writableEnded && !writableFinished)
    let unread = waiting.reduce((sum, { writableLength }) => sum + writableLength, 0)
    for (const response of waiting) {
      if (unread <= MOST_UNREAD_BYTES) return
      if (response === newest) continue
      unread -= response.writableLength
      response.destroy()
    }
  }
}
