import type { ServerResponse } from 'node:http'

/** The responses that are not finished yet. */
export class OpenResponses {
  readonly #open = new Set<ServerResponse>()
  #onIdle: (() => void) | undefined

  add(response: ServerResponse): void {
    this.#open.add(response)
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
}
