/** Logistic regression with a ridge, by iteratively reweighted least squares. */

/** Log-odds are `intercept + Σ weights[i] · x[i]`. */
export interface LogisticModel {
  intercept: number
  weights: number[]
}

const MOST_ROUNDS = 50
const MOST_SWEEPS = 60
const CLOSE = 1e-6
/** No probability is surer than this while learning, so that no weight runs away. */
const LEAST_CURVATURE = 1e-6

/**
 * @param rows features, each in [0, 1]
 * @param targets in [0, 1]; fractions are fine
 * @param ridge λ, on the weights, not on the intercept
 */
export function fitLogistic(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  ridge: number,
): LogisticModel {
  const width = rows[0]?.length ?? 0
  let model: LogisticModel = { intercept: 0, weights: new Array(width).fill(0) }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = improve(model, rows, targets, ridge)
    const moved = Math.max(
      Math.abs(next.intercept - model.intercept),
      ...next.weights.map((weight, at) => Math.abs(weight - (model.weights[at] ?? 0))),
    )
    model = next
    if (moved < CLOSE) break
  }
  return model
}

/** Solves the weighted least squares around the model, one weight after another (Gauss and Seidel). */
function improve(
  model: LogisticModel,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  ridge: number,
): LogisticModel {
  const width = model.weights.length
  const curvature: number[] = []
  /** Working response minus the fit so far. */
  const rest: number[] = []
  for (const [index, row] of rows.entries()) {
    const probability = probabilityOf(model, row)
    const weight = Math.max(LEAST_CURVATURE, probability * (1 - probability))
    curvature.push(weight)
    rest.push(((targets[index] ?? 0) - probability) / weight)
  }
  const next: LogisticModel = { intercept: model.intercept, weights: [...model.weights] }
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let moved = 0
    for (let at = -1; at < width; at++) {
      const valueIn = (row: readonly number[]): number => (at < 0 ? 1 : (row[at] ?? 0))
      const penalty = at < 0 ? 0 : ridge
      const current = at < 0 ? next.intercept : (next.weights[at] ?? 0)
      let slope = -penalty * current
      let bend = penalty
      rows.forEach((row, index) => {
        const scaled = (curvature[index] ?? 0) * valueIn(row)
        slope += scaled * (rest[index] ?? 0)
        bend += scaled * valueIn(row)
      })
      const step = bend === 0 ? 0 : slope / bend
      if (step === 0) continue
      if (at < 0) next.intercept += step
      else next.weights[at] = current + step
      rows.forEach((row, index) => {
        rest[index] = (rest[index] ?? 0) - step * valueIn(row)
      })
      moved = Math.max(moved, Math.abs(step))
    }
    if (moved < CLOSE) break
  }
  return next
}

export function probabilityOf({ intercept, weights }: LogisticModel, row: readonly number[]): number {
  let sum = intercept
  for (const [at, weight] of weights.entries()) sum += weight * (row[at] ?? 0)
  return 1 / (1 + Math.exp(-sum))
}
