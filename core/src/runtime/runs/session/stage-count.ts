import type { StepRow } from '../../../contracts/log/journal.ts'
import type { Stage } from '../../../contracts/stages/stages.ts'
import type { InheritedStage, StageCounter } from '../../pipeline/pipeline-run.ts'
import { answerKey, inheritedStagesOf } from './inherited-stages.ts'

/** Counts how often each stage was asked: a fork keeps the answers of the run that it is a fork of by their number. */
export class StageCount implements StageCounter {
  /** How often `execute` was asked. */
  attempt = 0
  readonly #kept: ReadonlyMap<string, InheritedStage> | undefined
  readonly #asked: Stage[] = []

  /** @param steps what earlier lives of the run have recorded */
  constructor(steps: readonly StepRow[] = []) {
    this.#kept = inheritedStagesOf(steps)
  }

  /** Counts that a stage is asked. @returns it as it went in the run that this is a fork of, where that is kept */
  enter(stage: Stage): InheritedStage | undefined {
    this.#asked.push(stage)
    return this.#kept?.get(`${stage}:${this.#countOf(stage)}`)
  }

  /** Key under which the answer of a stage is recorded that no event holds. */
  keyOf(stage: Stage): string {
    return answerKey(stage, this.#countOf(stage))
  }

  #countOf(stage: Stage): number {
    return this.#asked.filter((asked) => asked === stage).length
  }
}
