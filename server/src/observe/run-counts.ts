import { isTerminalEvent, type RunEvent } from '@svc/core'

interface SeenRun {
  status: string
  mode: string
  /** Milliseconds since the epoch. */
  createdAt: number
  approvals: number
}

const STATUS_OF: Readonly<Record<string, string>> = {
  'run.created': 'queued',
  'run.queued': 'queued',
  'run.started': 'running',
  'run.resumed': 'running',
  'run.recovered': 'queued',
  'run.waiting': 'waiting',
  'run.cancelling': 'cancelling',
}

/** Which runs are at work in this process, from their events. */
export class RunCounts {
  readonly #runs = new Map<string, SeenRun>()

  /** @returns of a run that has ended: how, and after how long */
  apply(event: RunEvent): { mode: string; status: string; seconds: number } | undefined {
    const { runId, type, time } = event
    if (isTerminalEvent(event)) {
      const run = this.#runs.get(runId)
      this.#runs.delete(runId)
      const { mode = 'execute', createdAt = Date.parse(time) } = run ?? {}
      return { mode, status: type.slice('run.'.length), seconds: (Date.parse(time) - createdAt) / 1000 }
    }
    const status = STATUS_OF[type]
    let run = this.#runs.get(runId)
    if (run === undefined && status !== undefined) {
      run = { status, mode: 'execute', createdAt: Date.parse(time), approvals: 0 }
      this.#runs.set(runId, run)
    }
    if (run === undefined) return undefined
    if (status !== undefined) run.status = status
    if (event.type === 'run.created') run.mode = event.data.mode
    if (type === 'approval.requested') run.approvals++
    if (type === 'approval.resolved' || type === 'approval.expired') run.approvals--
    return undefined
  }

  byStatus(): Map<string, number> {
    const counts = new Map(['queued', 'running', 'waiting', 'cancelling'].map((status) => [status, 0]))
    for (const { status } of this.#runs.values()) counts.set(status, (counts.get(status) ?? 0) + 1)
    return counts
  }

  pendingApprovals(): number {
    return [...this.#runs.values()].reduce((sum, { approvals }) => sum + approvals, 0)
  }
}
