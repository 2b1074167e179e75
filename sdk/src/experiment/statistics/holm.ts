/**
 * p-values adjusted for being several: comparing each with .05 keeps the risk of any false alarm at 5 %.
 *
 * @returns in the order given, each at least as large as before and at most 1
 * @see Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979
 */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, index) => index)
  order.sort((a, b) => (probabilities[a] as number) - (probabilities[b] as number))
  const adjusted = [...probabilities]
  let largest = 0
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (probabilities[index] as number) * (order.length - rank)))
    adjusted[index] = largest
  }
  return adjusted
}
