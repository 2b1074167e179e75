import type { RunRow } from '../../../contracts/store/store.ts'
import { RunError } from '../../../errors.ts'
import { report } from '../../../support/background.ts'
import type { Environment } from '../../environment.ts'
import { JOURNAL_FORMAT } from '../../journal/keyed-journal.ts'
import { isElsewhere } from '../service/place.ts'

/** Runs that this process cannot work on: each is said once, and left to processes that can. */
export class SkippedRuns {
  readonly #here: Pick<Environment, 'space'>
  readonly #runs = new Set<string>()
  readonly #spaces = new Set<string>()

  constructor(here: Pick<Environment, 'space'>) {
    this.#here = here
  }

  has(runId: string): boolean {
    return this.#runs.has(runId)
  }

  /** Leaves a run that turned out to need what is not here. */
  add(runId: string, error: unknown): void {
    this.#runs.add(runId)
    report(`run ${runId} cannot be worked on here`, error)
  }

  /** Whether a newer svc has begun the run. */
  isNewer({ id, format }: RunRow): boolean {
    if (format <= JOURNAL_FORMAT) return false
    this.#leave(id, 'a newer svc has begun it: update svc')
    return true
  }

  /** Whether the run was begun in another project. Of one there may be thousands: it is said once for each project. */
  isElsewhere(row: RunRow): boolean {
    const { id, space = '' } = row
    if (!isElsewhere(row, this.#here)) return false
    if (this.#spaces.has(space)) this.#runs.add(id)
    else {
      this.#spaces.add(space)
      this.#leave(
        id,
        `it was begun in ${space}, as others may be, and this process works for ${this.#here.space}: start one there, or give both the same store.space`,
      )
    }
    return true
  }

  #leave(runId: string, reason: string): void {
    this.#runs.add(runId)
    report(`run ${runId} is left to others`, new RunError('run_failed', reason))
  }
}
