import type { Usage } from '../../contracts/model/usage.ts'
import type { Ledger } from './ledger.ts'

/** What components see of the ledger. */
export class RunBudget {
  readonly #ledger: Ledger

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  get exhausted(): boolean {
    return this.#ledger.exhausted
  }

  remaining(agentId?: string): number {
    return this.#ledger.remaining(agentId)
  }

  spent(): Usage {
    return this.#ledger.spent()
  }

  available(agentId: string): number {
    return this.#ledger.available(agentId)
  }
}
