import type { ErrorInfo } from '../../../../contracts/index.ts'

interface Health {
  hasAnswered: boolean
  /** Calls in a row that failed for good, the gateway's retries included. */
  outages: number
  error?: ErrorInfo
}

/**
 * Which models answer, by what came of their calls in this execution. A model is down when it fails before it has ever
 * answered, or twice in a row: another step, another agent or another plan on the same model would fail the same way.
 */
export class ModelHealth {
  readonly #models = new Map<string, Health>()

  noteAnswer(model: string): void {
    const health = this.#of(model)
    health.hasAnswered = true
    health.outages = 0
  }

  /** A call failed because the model cannot be reached or refuses everybody. */
  noteOutage(model: string, error: ErrorInfo): void {
    const health = this.#of(model)
    health.outages++
    health.error = error
  }

  /** Whether its last call failed. */
  isFailing(model: string): boolean {
    return (this.#models.get(model)?.outages ?? 0) > 0
  }

  /** Why the model is down; `undefined` while it is not. */
  outageOf(model: string): ErrorInfo | undefined {
    const health = this.#models.get(model)
    if (health === undefined || health.outages <= Number(health.hasAnswered)) return undefined
    return health.error
  }

  #of(model: string): Health {
    let health = this.#models.get(model)
    if (health === undefined) {
      health = { hasAnswered: false, outages: 0 }
      this.#models.set(model, health)
    }
    return health
  }
}
