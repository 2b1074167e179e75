/** Linear regression with a ridge: least squares that would rather keep the weights small. */

export interface RidgeModel {
  readonly means: readonly number[]
  readonly scales: readonly number[]
  readonly intercept: number
  readonly weights: readonly number[]
}

/**
 * Fits a number to rows of features, each brought to mean 0 and deviation 1.
 *
 * @param ridge how many rows of doubt hold each weight to 0
 */
export function fitRidge(rows: readonly (readonly number[])[], targets: readonly number[], ridge: number): RidgeModel {
  const count = rows.length
  const width = rows[0]?.length ?? 0
  const means: number[] = []
  const scales: number[] = []
  for (let at = 0; at < width; at++) {
    const mean = rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / count
    const variance = rows.reduce((sum, row) => sum + ((row[at] ?? 0) - mean) ** 2, 0) / count
    means.push(mean)
    scales.push(Math.sqrt(variance) || 1)
  }
  const intercept = targets.reduce((sum, target) => sum + target, 0) / count
  const centred = rows.map((row) => row.map((value, at) => (value - (means[at] ?? 0)) / (scales[at] ?? 1)))
  const matrix = Array.from({ length: width }, (_, a) =>
    Array.from({ length: width }, (_, b) =>
      centred.reduce((sum, row) => sum + (row[a] ?? 0) * (row[b] ?? 0), a === b ? ridge : 0),
    ),
  )
  const vector = Array.from({ length: width }, (_, a) =>
    centred.reduce((sum, row, index) => sum + (row[a] ?? 0) * ((targets[index] ?? 0) - intercept), 0),
  )
  return { means, scales, intercept, weights: solve(matrix, vector) }
}

export function predictRidge({ means, scales, intercept, weights }: RidgeModel, row: readonly number[]): number {
  let sum = intercept
  for (const [at, weight] of weights.entries())
    sum += (weight * ((row[at] ?? 0) - (means[at] ?? 0))) / (scales[at] ?? 1)
  return sum
}

/** A positive definite system, by elimination. */
function solve(matrix: number[][], vector: number[]): number[] {
  const width = vector.length
  const cell = (a: number, b: number): number => matrix[a]?.[b] ?? 0
  for (let pivot = 0; pivot < width; pivot++) {
    for (let below = pivot + 1; below < width; below++) {
      const factor = cell(below, pivot) / cell(pivot, pivot)
      if (factor === 0) continue
      const line = matrix[below] ?? []
      for (let at = pivot; at < width; at++) line[at] = cell(below, at) - factor * cell(pivot, at)
      vector[below] = (vector[below] ?? 0) - factor * (vector[pivot] ?? 0)
    }
  }
  const solution: number[] = new Array(width).fill(0)
  for (let pivot = width - 1; pivot >= 0; pivot--) {
    let sum = vector[pivot] ?? 0
    for (let at = pivot + 1; at < width; at++) sum -= cell(pivot, at) * (solution[at] ?? 0)
    solution[pivot] = sum / cell(pivot, pivot)
  }
  return solution
}
