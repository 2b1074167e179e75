import { type TaskComplexityAnalyzer, TOPOLOGIES, ValidationError } from '@svc/core'
import { seal, unseal } from '../seal.ts'
import { bytesOf, type Sqlite } from '../sqlite/file/sqlite.ts'

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

export class StoredOutcomes implements OutcomeLog {
  readonly #open: () => Sqlite
  readonly #space: string
  readonly #clock: () => number

  /** @param space the folder whose runs these are */
  constructor(open: () => Sqlite, space = '*', clock: () => number = Date.now) {
    this.#open = open
    this.#space = space
    this.#clock = clock
  }

  async add(outcome: Outcome, runId?: string): Promise<void> {
    assertOutcome(outcome)
    const db = this.#open()
    const { body, crc } = seal(outcome)
    db.transaction(() => {
      db.run(
        `INSERT INTO outcomes (run_id, space, domain, created_at, body, crc) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id) DO UPDATE SET domain = excluded.domain, body = excluded.body, crc = excluded.crc`,
        [runId ?? null, this.#space, domainOf(outcome), this.#clock(), body, crc],
      )
      db.run('DELETE FROM outcomes WHERE seq <= (SELECT max(seq) FROM outcomes) - ?', [MOST_OUTCOMES])
    })
  }

  async list({ domain }: { domain?: string } = {}): Promise<Outcome[]> {
    const wanted = domain?.trim().toLowerCase()
    const rows = this.#open().all(
      `SELECT ${bytesOf('body')}, crc FROM outcomes WHERE space = ? AND (? IS NULL OR domain = ?) ORDER BY seq`,
      [this.#space, wanted ?? null, wanted ?? null],
    )
    return rows.flatMap((row) => unseal(row, isOutcome) ?? [])
  }
}

/** Outcomes that last as long as the process. */
export class InMemoryOutcomes implements OutcomeLog {
  readonly #outcomes = new Map<string, Outcome>()
  #added = 0

  async add(outcome: Outcome, runId = `#${this.#added}`): Promise<void> {
    assertOutcome(outcome)
    this.#added++
    this.#outcomes.set(runId, copyOf(outcome))
    if (this.#outcomes.size <= MOST_OUTCOMES) return
    const [oldest] = this.#outcomes.keys()
    if (oldest !== undefined) this.#outcomes.delete(oldest)
  }

  async list({ domain }: { domain?: string } = {}): Promise<Outcome[]> {
    const wanted = domain?.trim().toLowerCase()
    return [...this.#outcomes.values()]
      .filter((outcome) => wanted === undefined || domainOf(outcome) === wanted)
      .map(copyOf)
  }
}

/** Features are all that an outcome holds by reference. */
const copyOf = (outcome: Outcome): Outcome => ({ ...outcome, features: { ...outcome.features } })

function assertOutcome(outcome: Outcome): void {
  if (isOutcome(outcome)) return
  throw new ValidationError(
    'validation_failed',
    `outcome must have features (numbers by name), success (true or false) and a topology: ${TOPOLOGIES.join(', ')}`,
  )
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
