import type { RunRow } from '../../../../contracts/store/store.ts'

/** After so many recoveries in a row that began a step and recorded nothing new, a person is asked whether the run goes on. */
const MOST_RECOVERIES = 5
/**
 * After so many lives in a row of which nothing new is recorded, whatever became of them, too. A life that ends before
 * anything is begun says little about the run: mostly somebody was stopping processes.
 */
const MOST_ATTEMPTS = 30

/**
 * Counts the lives of a run in which it did not get on, so that a run which ends its process each time does not do so for
 * ever.
 *
 * What must be durable before the process may end is: a recovery counts with the commit before its first step. The
 * lives are the epochs of the run's lease, which every claim writes.
 */
export class RecoveryLimit {
  readonly #epoch: number
  readonly #patch: (change: Pick<Partial<RunRow>, 'recoveries' | 'gotOn'>) => void
  #recoveries: number
  #isCounted: boolean
  #hasGotOn: boolean

  constructor(row: RunRow, epoch: number, patch: (change: Pick<Partial<RunRow>, 'recoveries' | 'gotOn'>) => void) {
    // Neither a shutdown in good order nor waiting for a person is a crash that the run has to get over.
    const isRecovery = row.startedAt !== undefined && row.released !== true && row.status !== 'waiting'
    const lives = epoch - (row.gotOn ?? 0)
    this.#recoveries = row.recoveries + (isRecovery ? 1 : 0)
    if (lives > MOST_ATTEMPTS) this.#recoveries = Math.max(this.#recoveries, MOST_RECOVERIES)
    this.#epoch = epoch
    this.#patch = patch
    this.#isCounted = !isRecovery
    this.#hasGotOn = epoch === 1 && row.recoveries === 0
  }

  /** Recoveries in a row without a new record, with this one. */
  get recoveries(): number {
    return this.#recoveries
  }

  /** Whether a person has to say that the run goes on. */
  get isDoubtful(): boolean {
    return this.#recoveries >= MOST_RECOVERIES
  }

  /** Whether this life has recorded something new. */
  get hasGotOn(): boolean {
    return this.#hasGotOn
  }

  /** A person is asked: the count stands, whatever becomes of this life. */
  askPerson(): void {
    this.#isCounted = true
    this.#patch({ recoveries: this.#recoveries })
  }

  /** A person said that the run goes on. */
  clear(): void {
    this.#recoveries = 0
    this.#patch({ recoveries: 0 })
  }

  /**
   * Something is about to be done that may end the process.
   *
   * @returns whether a commit has to come first
   */
  begin(): boolean {
    if (this.#isCounted) return false
    this.#isCounted = true
    this.#hasGotOn = false
    this.#patch({ recoveries: this.#recoveries })
    return true
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
