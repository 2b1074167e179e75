import type { Run, RunEvent } from '@svc/core'

/** Whether a run waits for others, and nothing of it is at work: no model is asked, and each open call of a tool waits. */
export class Rest {
  readonly #models = new Set<string>()
  /** Open calls of tools, and whether they wait. */
  readonly #calls = new Map<string, boolean>()
  /** A question waits, of which no event says who asks it. */
  #asks = false

  get isRest(): boolean {
    if (this.#asks) return true
    if (this.#models.size > 0 || this.#calls.size === 0) return false
    for (const waits of this.#calls.values()) if (!waits) return false
    return true
  }

  apply(event: RunEvent): void {
    const key = `${event.agentId} ${event.callId}`
    switch (event.type) {
      case 'model.started':
        this.#models.add(key)
        return
      case 'model.completed':
      case 'model.failed':
        this.#models.delete(key)
        return
      case 'tool.requested':
        this.#calls.set(key, false)
        return
      case 'tool.completed':
      case 'tool.failed':
      case 'tool.denied':
        this.#calls.delete(key)
        return
      case 'approval.requested':
        this.#calls.set(key, true)
        return
      case 'approval.resolved':
      case 'approval.expired':
        this.#calls.set(key, false)
        return
      case 'run.waiting':
        for (const { agentId, callId } of event.data.calls ?? []) this.#calls.set(`${agentId} ${callId}`, true)
        if (event.data.input !== undefined) this.#asks = true
        return
      case 'run.resumed':
        this.#asks = false
        return
      default:
    }
  }
}

/** Whether a run that waits has something else than calls of its client to wait for. */
export const needsPerson = ({ waiting }: Pick<Run, 'waiting'>): boolean =>
  waiting?.input !== undefined || (waiting?.approvals?.length ?? 0) > 0
