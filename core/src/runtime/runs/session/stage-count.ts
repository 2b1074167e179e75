import type { RunEvent } from '../../../contracts/log/event.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import type { Stage } from '../../../contracts/stages/stages.ts'
import type { InheritedStage, StageCounter } from '../../pipeline/pipeline-run.ts'
import { answerKey, knownStagesOf } from './recovery/inherited-stages.ts'

/** Counts how often each stage was asked: by its number an answer is found that was given before. */
export class StageCount implements StageCounter {
  /** How often `execute` was asked. */
  attempt = 0
  readonly #known: ReadonlyMap<string, InheritedStage>
  readonly #asked: Stage[] = []

  /**
   * @param events and `steps`: what earlier lives of the run have logged and recorded
   * @param gone ids of profiles and marks of tools that plans go on without
   */
  constructor(events: readonly RunEvent[] = [], steps: readonly StepRow[] = [], gone: readonly string[] = []) {
    this.#known = knownStagesOf(events, steps, gone)
  }

  /** Counts that a stage is asked. @returns it as it went in an earlier life, or in the run that this is a fork of */
  enter(stage: Stage): InheritedStage | undefined {
    this.#asked.push(stage)
    return this.#known.get(`${stage}:${this.#countOf(stage)}`)
  }

  /** Key under which the answer of a stage is recorded that no event holds. */
  keyOf(stage: Stage): string {
    return answerKey(stage, this.#countOf(stage))
  }

  #countOf(stage: Stage): number {
    return this.#asked.filter((asked) => asked === stage).length
  }
}
