import type { RunContext } from '../run/run-context.ts'
import type { Execution } from '../stages/execution.ts'
import type { PlanInput } from '../stages/plan.ts'
import type { Inputs } from '../stages/stages.ts'

/** A way of a plugin's own in which agents work together, under the name that it is registered by. */
export interface OwnTopology {
  /** Agents that the budget is shared between: 1 to 1000. Default: as many as the run names, else as the analysis wants. */
  agents?: number
  /**
   * Answers `plan` for runs of this topology: a minimal plan is enough. Asked again, with `previous`, where the plan failed;
   * without an answer then, svc plans what is left of it.
   */
  plan(input: Inputs['plan'], run: RunContext): PlanInput | undefined | Promise<PlanInput | undefined>
  /** Answers `execute` for plans of this topology. Default: the steps are done as those of any plan are. */
  execute?(input: Inputs['execute'], run: RunContext): Execution | Promise<Execution>
}
