import type { RunRow } from '../../../contracts/store/store.ts'
import { RunError } from '../../../errors.ts'

/** After so many recoveries in a row that began a step and recorded nothing new, a run is given up. */
const MOST_RECOVERIES = 5
/**
 * After so many lives in a row of which nothing new is recorded, whatever became of them, too. A life that ends before
 * anything is begun says little about the run: mostly somebody was stopping processes.
 */
const MOST_ATTEMPTS = 30

/**
 * Counts the lives of a run in which it did not get on, so that a run which ends its process each time is given up.
 *
 * What must be durable before the process may end is: a recovery counts with the commit before its first step. The
 * lives are the epochs of the run's lease, which every claim writes.
 */
export class RecoveryLimit {
  /** Recoveries in a row without a new record, with this one. */
  readonly recoveries: number
  readonly #runId: string
  readonly #epoch: number
  readonly #lives: number
  readonly #patch: (change: Pick<Partial<RunRow>, 'recoveries' | 'gotOn'>) => void
  #isCounted: boolean
  #hasGotOn: boolean
  #failure: RunError | undefined

  constructor(row: RunRow, epoch: number, patch: (change: Pick<Partial<RunRow>, 'recoveries' | 'gotOn'>) => void) {
    // Neither a shutdown in good order nor waiting for a person is a crash that the run has to get over.
    const isRecovery = row.startedAt !== undefined && row.released !== true && row.status !== 'waiting'
    this.recoveries = row.recoveries + (isRecovery ? 1 : 0)
    this.#runId = row.id
    this.#epoch = epoch
    this.#lives = epoch - (row.gotOn ?? 0)
    this.#patch = patch
    this.#isCounted = !isRecovery
    this.#hasGotOn = epoch === 1 && row.recoveries === 0
  }

  /** Why the run is given up; undefined where it is not. */
  get failure(): RunError | undefined {
    if (this.#lives > MOST_ATTEMPTS) {
      this.#failure ??= poisoned(`run ${this.#runId} was taken up ${this.#lives} times without getting on`)
    }
    return this.#failure
  }

  /**
   * Something is about to be done that may end the process.
   *
   * @returns whether a commit has to come first
   * @throws RunError `run_poisoned`
   */
  begin(): boolean {
    if (this.#isCounted) return false
    this.#isCounted = true
    this.#hasGotOn = false
    this.#patch({ recoveries: this.recoveries })
    if (this.recoveries < MOST_RECOVERIES) return true
    this.#failure = poisoned(`run ${this.#runId} was recovered ${this.recoveries} times without getting on`)
    throw this.#failure
  }

  /**
   * There is a new record, which is written with this.
   *
   * @returns whether it is the first of a life that follows others: until it is written, this one counts against the run
   */
  record(): boolean {
    if (this.#hasGotOn) return false
    this.getOn()
    this.#patch({ recoveries: 0 })
    return true
  }

  /** This life came to an end in good order, or to where only a person can help. */
  getOn(): void {
    this.#hasGotOn = true
    this.#patch({ gotOn: this.#epoch })
  }
}

const poisoned = (message: string): RunError => new RunError('run_poisoned', message)
