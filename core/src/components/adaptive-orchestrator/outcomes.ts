import type { RunContext } from '../../contracts/index.ts'
import type { SvcError } from '../../errors.ts'
import { isOutage } from './alternatives.ts'
import type { Done } from './do-step.ts'
import type { Progress } from './progress.ts'
import { StallCounter } from './stalls.ts'
import { isOver, type StepState } from './step-state.ts'
import { isLimit, isOwnLimit } from './stop.ts'

interface OutcomesOptions {
  run: RunContext
  states: ReadonlyMap<string, StepState>
  progress: Progress
  clock: () => number
}

/** Writes down how steps ended, and what that says about those who did them and about the plan. */
export class Outcomes {
  readonly stalls = new StallCounter()
  /** Agents whose model is out: they get nothing more to do. */
  readonly out = new Set<string>()
  readonly #options: OutcomesOptions

  constructor(options: OutcomesOptions) {
    this.#options = options
  }

  complete(state: StepState, { text, data, more }: Done): void {
    const { run, clock, progress } = this.#options
    state.status = 'completed'
    state.output = text
    if (data !== undefined) state.data = data
    state.endedAt = clock()
    this.stalls.progress()
    for (const [tool, message] of state.broken) {
      const how = `${state.step.id} was answered without ${tool}, which broke down: ${message}`
      run.warn({ code: 'tool_unavailable', message: how })
    }
    progress.end(state, more)
  }

  /** @returns whether the failure stops everything: as an error, or as a limit of the whole run */
  fail(state: StepState, error: SvcError): 'error' | 'limit' | undefined {
    const { run, clock, progress } = this.#options
    if (isOver(state)) return undefined // given up already: the run was stopped while the call was on its way
    if (error.code === 'cancelled' || error.name === 'PluginError' || error.exitCode === 2) return 'error'
    state.status = 'failed'
    state.error = error.toInfo()
    state.endedAt = clock()
    if (isLimit(error)) state.output = state.best
    this.stall(state.agentId, error)
    progress.end(state)
    return isLimit(error) && !isOwnLimit(error, state.agentId, run) ? 'limit' : undefined
  }

  /** A step did not get on. An outage is no fault of the plan. */
  stall(agentId: string, error: { code: string }): void {
    if (isOutage(error)) this.out.add(agentId)
    else this.stalls.stall()
  }

  /** Everything that still runs is over: its calls have been aborted. */
  abandon(error: SvcError): void {
    for (const state of this.#options.states.values()) {
      if (isOver(state)) continue
      state.output = state.status === 'running' ? state.best : ''
      state.endedAt = this.#options.clock()
      state.error = error.toInfo()
      state.status = state.status === 'running' ? 'failed' : 'skipped'
      this.#options.progress.end(state)
    }
  }
}
