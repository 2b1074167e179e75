/** A prediction between 0 and 1, and whether it came true. */
export interface Prediction {
  confidence: number
  isRight: boolean
}

/** Predictions of about the same confidence. */
export interface ReliabilityBin {
  from: number
  to: number
  count: number
  /** Means; null in an empty bin. */
  confidence: number | null
  accuracy: number | null
}

export interface Calibration {
  bins: ReliabilityBin[]
  /** Mean squared error of the confidence, 0 to 1; null without predictions, as `ece` is. */
  brier: number | null
  /** Expected calibration error: mean distance of accuracy and confidence over the bins, by their counts. */
  ece: number | null
}

/** How far confidence can be taken at its word. @param count of bins of equal width */
export function calibrate(predictions: readonly Prediction[], count = 5): Calibration {
  const bins = Array.from({ length: count }, (_, at): ReliabilityBin => {
    const inside = predictions.filter(({ confidence }) => Math.min(count - 1, Math.floor(confidence * count)) === at)
    return {
      from: at / count,
      to: (at + 1) / count,
      count: inside.length,
      confidence: mean(inside.map(({ confidence }) => confidence)),
      accuracy: mean(inside.map(({ isRight }) => Number(isRight))),
    }
  })
  const apart = bins.map((bin) => bin.count * Math.abs((bin.accuracy ?? 0) - (bin.confidence ?? 0)))
  const ece = predictions.length === 0 ? null : apart.reduce((sum, each) => sum + each, 0) / predictions.length
  return { bins, brier: mean(predictions.map(({ confidence, isRight }) => (confidence - Number(isRight)) ** 2)), ece }
}

/** Rank correlation of Spearman, -1 to 1, ties by their mean rank; null where one side is constant or has under 3. */
export function spearman(pairs: readonly (readonly [number, number])[]): number | null {
  if (pairs.length < 3) return null
  const [left, right] = [ranks(pairs.map(([one]) => one)), ranks(pairs.map(([, two]) => two))]
  const middle = (pairs.length + 1) / 2
  const product = (one: readonly number[], two: readonly number[]): number =>
    one.reduce((sum, rank, at) => sum + (rank - middle) * ((two[at] ?? 0) - middle), 0)
  const spread = Math.sqrt(product(left, left) * product(right, right))
  return spread === 0 ? null : product(left, right) / spread
}

const ranks = (values: readonly number[]): number[] =>
  values.map((value) => {
    const below = values.filter((other) => other < value).length
    const equal = values.filter((other) => other === value).length
    return below + (equal + 1) / 2
  })

/** Null of nothing. */
const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
