import {
  createMemoryStore,
  type RecordSpace,
  type Store,
  type TaskComplexityAnalyzer,
  TOPOLOGIES,
  ValidationError,
} from '@svc/core'

/** What an analyzer records. */
type Outcome = Parameters<TaskComplexityAnalyzer['record']>[0]

/** How runs went, for an analyzer to learn from: `analyzer.calibrate(await outcomes.list())`. */
export interface OutcomeLog {
  /** @param runId a second outcome of one run takes the place of the first */
  add(outcome: Outcome, runId?: string): Promise<void>
  /** Oldest first; the newest 10 000 are kept. */
  list(query?: { domain?: string }): Promise<Outcome[]>
}

const MOST_OUTCOMES = 10_000
const DEFAULT_DOMAIN = 'general'

/** Outcomes in a store. */
export class StoredOutcomes implements OutcomeLog {
  readonly #records: () => RecordSpace<Outcome>

  /** @param space the folder whose runs these are */
  constructor(store: Pick<Store, 'records'>, space: string) {
    this.#records = () => store.records('outcome', space)
  }

  async add(outcome: Outcome, runId: string = `outcome_${crypto.randomUUID()}`): Promise<void> {
    if (!isOutcome(outcome)) {
      throw new ValidationError(
        'validation_failed',
        `outcome must have features (numbers by name), success (true or false) and a topology: ${TOPOLOGIES.join(', ')}`,
      )
    }
    await this.#records().put(runId, outcome)
  }

  async list({ domain }: { domain?: string } = {}): Promise<Outcome[]> {
    const records = this.#records()
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
