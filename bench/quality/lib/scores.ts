/** Measures of predictions against labels. */

/** Chance that a positive stands above a negative; ties count half. NaN where one side is empty. */
export function auroc(scores: readonly number[], labels: readonly boolean[]): number {
  const order = scores
    .map((score, index) => ({ score, label: labels[index] === true }))
    .sort((a, b) => a.score - b.score)
  let ranks = 0
  let positives = 0
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && order[to]?.score === order[from]?.score) to++
    const rank = (from + 1 + to) / 2
    for (let at = from; at < to; at++) {
      if (order[at]?.label !== true) continue
      ranks += rank
      positives++
    }
    from = to
  }
  const negatives = order.length - positives
  return positives === 0 || negatives === 0
    ? Number.NaN
    : (ranks - (positives * (positives + 1)) / 2) / (positives * negatives)
}

/** Mean over the classes of the labels of 2 TP / (2 TP + FP + FN). */
export function macroF1<T extends string | number | boolean>(predicted: readonly T[], labels: readonly T[]): number {
  const classes = [...new Set(labels)]
  let sum = 0
  for (const each of classes) {
    let hit = 0
    let wrong = 0
    labels.forEach((label, index) => {
      const isHit = label === each
      const isSaid = predicted[index] === each
      if (isHit && isSaid) hit++
      else if (isHit !== isSaid) wrong++
    })
    sum += hit === 0 ? 0 : (2 * hit) / (2 * hit + wrong)
  }
  return sum / classes.length
}

/** Expected calibration error over ten bins of equal width. */
export function calibrationError(probabilities: readonly number[], labels: readonly boolean[], bins = 10): number {
  const sums = Array.from({ length: bins }, () => ({ count: 0, said: 0, were: 0 }))
  probabilities.forEach((probability, index) => {
    const bin = sums[Math.min(bins - 1, Math.floor(probability * bins))]
    if (bin === undefined) return
    bin.count++
    bin.said += probability
    bin.were += labels[index] === true ? 1 : 0
  })
  return sums.reduce((sum, { said, were }) => sum + Math.abs(said - were), 0) / probabilities.length
}
