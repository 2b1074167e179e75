import type { PerName } from '../../../support/per-name.ts'
import type { CallContext, CallServices } from '../call-context.ts'
import type { Gate } from './admission.ts'
import type { Breaker } from './breaker.ts'
import type { ModelCatalog } from './model-catalog.ts'

/** A run, and the services of the runtime that calls of models need beyond those of all calls. */
export interface ModelContext extends CallContext {
  readonly env: CallServices & {
    readonly catalog: ModelCatalog
    /** Keep calls from providers that cannot be reached, over all runs. */
    readonly breakers: PerName<Breaker>
    /** Let calls to a provider leave, over all runs. */
    readonly gates: PerName<Gate>
  }
}
