import type { EventType } from '../../../contracts/log/event.ts'
import type { AgentView } from '../../../contracts/run/call-view.ts'
import type { Run } from '../../../contracts/run/run.ts'
import type { RunView } from '../../../contracts/run/run-view.ts'
import type { Commit, RunRow } from '../../../contracts/store/store.ts'

/** Parts of a run's row that events change. */
const STATUS = 1
const USAGE = 2
const AGENTS = 4
const TOPOLOGY = 8
const MESSAGES = 16

/** Which parts of the run's row an event changes. */
const CHANGES: ReadonlyMap<EventType, number> = new Map<EventType, number>([
  ['run.queued', STATUS],
  ['run.started', STATUS | USAGE],
  ['run.waiting', STATUS | AGENTS],
  ['run.resumed', STATUS | AGENTS],
  ['run.recovered', STATUS | USAGE],
  ['run.cancelling', STATUS],
  ['run.completed', STATUS | USAGE | AGENTS],
  ['run.incomplete', STATUS | USAGE | AGENTS],
  ['run.failed', STATUS | USAGE | AGENTS],
  ['run.cancelled', STATUS | USAGE | AGENTS],
  ['plan.created', TOPOLOGY],
  ['plan.revised', TOPOLOGY],
  ['agent.created', AGENTS],
  ['agent.started', AGENTS],
  ['agent.completed', AGENTS],
  ['agent.failed', AGENTS],
  ['agent.cancelled', AGENTS],
  ['agent.steered', MESSAGES],
  ['model.completed', USAGE],
  ['model.failed', USAGE],
  ['model.retrying', USAGE],
  ['approval.requested', STATUS | AGENTS],
  ['approval.resolved', STATUS | AGENTS],
  ['approval.expired', STATUS | AGENTS],
])

/** What has changed in a run's row since it was written: the row is a projection of the run's events. */
export class RowChanges {
  #changed = 0
  /** Fields that no event holds. */
  #fields: NonNullable<Commit['run']> | undefined

  /** Notes what an event changes. */
  note(type: EventType): void {
    this.#changed |= CHANGES.get(type) ?? 0
  }

  /** Changes fields that no event holds. */
  patch(change: NonNullable<Commit['run']>): void {
    this.#fields = this.#fields === undefined ? change : { ...this.#fields, ...change }
  }

  /** The changed fields, as the events have them now; they count as written. */
  take(view: RunView, waiting: () => Run['waiting']): Commit['run'] {
    const changed = this.#changed
    let change = this.#fields
    this.#fields = undefined
    if (changed === 0) return change
    this.#changed = 0
    change ??= {}
    if ((changed & STATUS) !== 0) {
      const now = waiting()
      change.status = view.status
      // A recovered run waits before it has come to its question again, and nothing says so a second time.
      if (now !== undefined || view.status !== 'waiting') change.waiting = now
    }
    if ((changed & USAGE) !== 0) {
      change.usage = view.usage
      change.costUsd = view.costUsd
      const { models } = view
      if (models.length > 0) change.models = models
    }
    if ((changed & AGENTS) !== 0) change.agents = [...view.agents.values()].map(toListedAgent)
    if ((changed & TOPOLOGY) !== 0 && view.topology !== undefined) change.topology = view.topology
    if ((changed & MESSAGES) !== 0) change.messages = [...view.messages]
    return change
  }
}

const toListedAgent = ({ id, name, status }: AgentView): RunRow['agents'][number] => ({ id, name, status })
