import * as Type from 'typebox'
import { allOptional } from '../../contracts/schema.ts'
import { ValidationError } from '../../errors.ts'
import { parse } from '../../validate.ts'
import { FEATURES } from './features.ts'
import type { LearntModel } from './learn.ts'

const Numbers = Type.Array(Type.Number(), { maxItems: 100_000 })
const Logistic = Type.Object({
  intercept: Type.Number(),
  weights: Type.Array(Type.Number(), { minItems: FEATURES.length, maxItems: FEATURES.length }),
})
const Model = Type.Object({
  features: Type.Array(Type.String()),
  topologies: Type.Object(
    allOptional({
      SINGLE: Logistic,
      SEQUENTIAL: Logistic,
      PARALLEL: Logistic,
      CENTRALIZED: Logistic,
      DECENTRALIZED: Logistic,
      HYBRID: Logistic,
    }),
  ),
  isotonic: Type.Object({ said: Numbers, was: Numbers }),
  quality: Type.Object({
    records: Type.Integer({ minimum: 0 }),
    brier: Type.Number(),
    baselineBrier: Type.Number(),
    ece: Type.Number(),
  }),
})

/**
 * What was learnt by another analyzer, checked.
 *
 * @throws ValidationError `validation_failed` where it has another shape, or was learnt on other features
 */
export function checkModel(value: unknown): LearntModel {
  const model = parse(Model, value, 'weights.model')
  if (model.features.join() !== FEATURES.join() || model.isotonic.said.length !== model.isotonic.was.length) {
    throw new ValidationError(
      'validation_failed',
      `weights.model was learnt on other features (${model.features.join(', ')}) than ${FEATURES.join(', ')}: calibrate anew`,
    )
  }
  return structuredClone(model) as LearntModel
}
