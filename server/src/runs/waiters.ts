import type { ServerResponse } from 'node:http'
import { isTerminal, type Run, type Runtime } from '@svc/core'
import { stateOf } from '../http/request/request-state.ts'

/** Who waits for which run over an open connection: when the last one leaves, a run that was only for them is cancelled. */
export class Waiters {
  readonly #runtime: Runtime
  readonly #isDraining: () => boolean
  readonly #waiting = new Map<string, number>()

  /** @param isDraining whether the server itself closes connections, which cancels nothing */
  constructor(runtime: Runtime, isDraining: () => boolean) {
    this.#runtime = runtime
    this.#isDraining = isDraining
  }

  /** @returns how to stop: the answer was sent */
  add(run: Run, response: ServerResponse, onDisconnect: 'cancel' | 'continue'): () => void {
    if (onDisconnect === 'continue' || isTerminal(run.status)) return () => {}
    this.#waiting.set(run.id, (this.#waiting.get(run.id) ?? 0) + 1)
    let isOver = false
    const stop = (): void => {
      if (isOver) return
      isOver = true
      response.off('close', leave)
      const left = (this.#waiting.get(run.id) ?? 1) - 1
      if (left === 0) this.#waiting.delete(run.id)
      else this.#waiting.set(run.id, left)
    }
    const leave = (): void => {
      stop()
      if (this.#waiting.has(run.id) || response.writableFinished || this.#isDraining()) return
      const { wasCut, isOnce } = stateOf(response)
      if (wasCut && !isOnce) return
      this.#runtime.runs.cancel(run.id, 'the client disconnected').catch(() => {}) // it has ended, or the store is gone
    }
    response.on('close', leave)
    if (response.destroyed) leave()
    return stop
  }
}
