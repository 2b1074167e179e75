import {
  createMemoryStore,
  type RecordSpace,
  type RunContext,
  type Store,
  type TaskComplexityAnalyzer,
  TOPOLOGIES,
  ValidationError,
} from '@svc/core'

/** What an analyzer records. */
type Outcome = Parameters<TaskComplexityAnalyzer['record']>[0]

/** How runs went, for an analyzer to learn from: `analyzer.calibrate(await outcomes.list())`. */
export interface OutcomeLog {
  /**
   * @param runId a second outcome of one run takes the place of the first
   * @param leaving `records` of that run: the outcome may leave with its next commit
   */
  add(outcome: Outcome, runId?: string, leaving?: RunContext['records']): Promise<void>
  /** Oldest first; the newest 10 000 are kept. */
  list(query?: { domain?: string }): Promise<Outcome[]>
}

const KIND = 'outcome'
const MOST_OUTCOMES = 10_000
const DEFAULT_DOMAIN = 'general'

/** Outcomes in a store. */
export class StoredOutcomes implements OutcomeLog {
  readonly #store: Pick<Store, 'records'>
  readonly #space: string
  readonly #isOfRuns: boolean

  /**
   * @param space the folder whose runs these are
   * @param isOfRuns whether the store is that of the runs, so that an outcome may leave with its run. Default false
   */
  constructor(store: Pick<Store, 'records'>, space: string, isOfRuns = false) {
    this.#store = store
    this.#space = space
    this.#isOfRuns = isOfRuns
  }

  async add(
    outcome: Outcome,
    runId: string = `outcome_${crypto.randomUUID()}`,
    leaving?: RunContext['records'],
  ): Promise<void> {
    if (!isOutcome(outcome)) {
      throw new ValidationError(
        'validation_failed',
        `outcome must have features (numbers by name), success (true or false) and a topology: ${TOPOLOGIES.join(', ')}`,
      )
    }
    const store = this.#isOfRuns && leaving !== undefined ? { records: leaving } : this.#store
    await store.records<Outcome>(KIND, this.#space).put(runId, outcome)
  }

  async list({ domain }: { domain?: string } = {}): Promise<Outcome[]> {
    const records: RecordSpace<Outcome> = this.#store.records(KIND, this.#space)
    const { data } = await records.all()
    await records.remove(data.splice(0, data.length - MOST_OUTCOMES).map(({ id }) => id))
    const wanted = domain?.trim().toLowerCase()
    return data
      .map(({ value }) => value)
      .filter((outcome) => isOutcome(outcome) && (wanted === undefined || domainOf(outcome) === wanted))
  }
}

/** Outcomes that last as long as the process. */
export class InMemoryOutcomes extends StoredOutcomes {
  constructor() {
    super(createMemoryStore(), '')
  }
}

const domainOf = ({ domain }: Outcome): string => domain?.trim().toLowerCase() || DEFAULT_DOMAIN

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false
  const { features, topology, success, quality, domain } = value as Partial<Outcome>
  return (
    typeof features === 'object' &&
    features !== null &&
    Object.values(features).every((feature) => Number.isFinite(feature)) &&
    TOPOLOGIES.some((known) => known === topology) &&
    typeof success === 'boolean' &&
    (quality === undefined || (quality >= 0 && quality <= 1)) &&
    (domain === undefined || typeof domain === 'string')
  )
}
