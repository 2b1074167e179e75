/** Linear and logistic regression with a ridge, by (iteratively reweighted) least squares. Features are standardised. */

export interface LinearModel {
  means: number[]
  scales: number[]
  intercept: number
  weights: number[]
}

export interface RegressionOptions {
  /** Strength of the ridge on the standardised weights. Default 1. */
  ridge?: number
}

/** Probability model of a yes or no. */
export function fitLogistic(
  features: readonly (readonly number[])[],
  labels: readonly boolean[],
  { ridge = 1 }: RegressionOptions = {},
): LinearModel {
  const { means, scales, rows } = standardise(features)
  const width = (rows[0]?.length ?? 1) - 1
  let beta: number[] = new Array(width + 1).fill(0)
  for (let round = 0; round < 50; round++) {
    const weights: number[] = []
    const targets: number[] = []
    rows.forEach((row, index) => {
      const linear = dot(row, beta)
      const probability = sigmoid(linear)
      const weight = Math.max(1e-6, probability * (1 - probability))
      weights.push(weight)
      targets.push(linear + ((labels[index] === true ? 1 : 0) - probability) / weight)
    })
    const next = solveWeighted(rows, targets, weights, ridge)
    const moved = next.reduce((most, value, at) => Math.max(most, Math.abs(value - (beta[at] ?? 0))), 0)
    beta = next
    if (moved < 1e-8) break
  }
  return { means, scales, intercept: beta[0] ?? 0, weights: beta.slice(1) }
}

/** Model of a number. */
export function fitLinear(
  features: readonly (readonly number[])[],
  targets: readonly number[],
  { ridge = 1 }: RegressionOptions = {},
): LinearModel {
  const { means, scales, rows } = standardise(features)
  const beta = solveWeighted(
    rows,
    targets,
    targets.map(() => 1),
    ridge,
  )
  return { means, scales, intercept: beta[0] ?? 0, weights: beta.slice(1) }
}

export function predictLinear({ means, scales, intercept, weights }: LinearModel, features: readonly number[]): number {
  return weights.reduce(
    (sum, weight, at) => sum + (weight * ((features[at] ?? 0) - (means[at] ?? 0))) / (scales[at] ?? 1),
    intercept,
  )
}

export const predictLogistic = (model: LinearModel, features: readonly number[]): number =>
  sigmoid(predictLinear(model, features))

export const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value))

const dot = (a: readonly number[], b: readonly number[]): number => {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

function standardise(features: readonly (readonly number[])[]): {
  means: number[]
  scales: number[]
  rows: number[][]
} {
  const width = features[0]?.length ?? 0
  const means: number[] = []
  const scales: number[] = []
  for (let at = 0; at < width; at++) {
    const mean = features.reduce((sum, row) => sum + (row[at] ?? 0), 0) / features.length
    const variance = features.reduce((sum, row) => sum + ((row[at] ?? 0) - mean) ** 2, 0) / features.length
    means.push(mean)
    scales.push(Math.sqrt(variance) || 1)
  }
  const rows = features.map((row) => [1, ...row.map((value, at) => (value - (means[at] ?? 0)) / (scales[at] ?? 1))])
  return { means, scales, rows }
}

/** (XᵀWX + λI) β = XᵀWy, the intercept left free; Cholesky. */
function solveWeighted(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  weights: readonly number[],
  ridge: number,
): number[] {
  const width = rows[0]?.length ?? 1
  const matrix = Array.from({ length: width }, () => new Float64Array(width))
  const vector = new Float64Array(width)
  rows.forEach((row, index) => {
    const weight = weights[index] ?? 1
    for (let a = 0; a < width; a++) {
      const scaled = weight * (row[a] ?? 0)
      if (scaled === 0) continue
      vector[a] = (vector[a] ?? 0) + scaled * (targets[index] ?? 0)
      const line = matrix[a] as Float64Array
      for (let b = 0; b <= a; b++) line[b] = (line[b] ?? 0) + scaled * (row[b] ?? 0)
    }
  })
  const cell = (a: number, b: number): number => matrix[a]?.[b] ?? 0
  for (let a = 0; a < width; a++) {
    const line = matrix[a] as Float64Array
    line[a] = cell(a, a) + (a === 0 ? 1e-9 : ridge)
  }
  for (let a = 0; a < width; a++) {
    const line = matrix[a] as Float64Array
    for (let b = 0; b <= a; b++) {
      let sum = cell(a, b)
      for (let k = 0; k < b; k++) sum -= cell(a, k) * cell(b, k)
      line[b] = a === b ? Math.sqrt(Math.max(sum, 1e-12)) : sum / cell(b, b)
    }
  }
  const half = new Float64Array(width)
  for (let a = 0; a < width; a++) {
    let sum = vector[a] ?? 0
    for (let k = 0; k < a; k++) sum -= cell(a, k) * (half[k] ?? 0)
    half[a] = sum / cell(a, a)
  }
  const solution: number[] = new Array(width).fill(0)
  for (let a = width - 1; a >= 0; a--) {
    let sum = half[a] ?? 0
    for (let k = a + 1; k < width; k++) sum -= cell(k, a) * (solution[k] ?? 0)
    solution[a] = sum / cell(a, a)
  }
  return solution
}
