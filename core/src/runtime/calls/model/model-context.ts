import type { CallContext, CallServices } from '../call-context.ts'
import type { Gates } from './admission.ts'
import type { Breakers } from './breaker.ts'
import type { ModelCatalog } from './model-catalog.ts'

/** A run, and the services of the runtime that calls of models need beyond those of all calls. */
export interface ModelContext extends CallContext {
  readonly env: CallServices & {
    readonly catalog: ModelCatalog
    /** Keep calls from providers that cannot be reached, over all runs. */
    readonly breakers: Breakers
    /** Let calls to a provider leave, over all runs. */
    readonly gates: Gates
  }
}
