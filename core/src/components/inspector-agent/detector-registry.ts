import type { EventType } from '../../contracts/event.ts'
import { SLUG } from '../../contracts/schema.ts'
import { ValidationError } from '../../errors.ts'
import type { Detector } from './detector.ts'

const NONE: readonly number[] = []

/** The detectors of an inspector, by the types of events that they read. */
export class DetectorRegistry {
  readonly #detectors: Detector[] = []
  readonly #byType = new Map<EventType, number[]>()

  /** @throws ValidationError `validation_failed` when the code is no slug or is taken */
  add(detector: Detector): void {
    const { code, on } = detector
    if (!SLUG.test(code)) throw invalid(code, 'must be lower case letters, digits and hyphens')
    if (this.#detectors.some((other) => other.code === code)) throw invalid(code, 'is registered already, take another')
    const index = this.#detectors.push(detector) - 1
    for (const type of new Set(on)) {
      const indexes = this.#byType.get(type)
      if (indexes === undefined) this.#byType.set(type, [index])
      else indexes.push(index)
    }
  }

  /** Places of the detectors that read a type of event. */
  of(type: EventType): readonly number[] {
    return this.#byType.get(type) ?? NONE
  }

  at(index: number): Detector {
    return this.#detectors[index] as Detector
  }
}

const invalid = (code: string, why: string): ValidationError =>
  new ValidationError('validation_failed', `detector code "${code}": ${why}`)
