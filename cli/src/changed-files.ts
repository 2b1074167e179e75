import type { RunEvent } from '@svc/core'

/** Files that tools of a run have changed, by the paths they were named with. */
export class ChangedFiles {
  readonly #asked = new Map<string, unknown>()
  readonly #paths = new Set<string>()

  get paths(): string[] {
    return [...this.#paths]
  }

  apply(event: RunEvent): void {
    const call = `${event.agentId} ${event.callId}`
    if (event.type === 'tool.requested' && event.data.risk === 'write') this.#asked.set(call, event.data.args)
    else if (event.type === 'tool.completed') {
      const { path } = (event.data.args ?? this.#asked.get(call) ?? {}) as { path?: unknown }
      if (this.#asked.delete(call) && typeof path === 'string') this.#paths.add(path)
    }
  }
}
