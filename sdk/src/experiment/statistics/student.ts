/**
 * The probability that Student's t stays at or below a value.
 *
 * @param t any number
 * @param freedom degrees of freedom, a whole number >= 1
 * @see Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4: finite sums, exact
 */
export function studentProbability(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom))
  const cosine = Math.cos(angle)
  const isOdd = freedom % 2 === 1
  let term = isOdd ? cosine : 1
  let sum = freedom === 1 ? 0 : term
  for (let step = isOdd ? 3 : 2; step <= freedom - 2; step += 2) {
    term *= ((step - 1) / step) * cosine * cosine
    sum += term
  }
  const inside = isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
  return (1 + inside) / 2
}

const known = new Map<string, number>()

/**
 * The value that Student's t stays at or below with a probability.
 *
 * @param probability above 0, below 1
 * @param freedom degrees of freedom, a whole number >= 1; above 2000 that of 2000, which differs from the normal one by 0.0012 at 97.5 %
 */
export function studentQuantile(probability: number, freedom: number): number {
  if (probability < 0.5) return -studentQuantile(1 - probability, freedom)
  const degrees = Math.min(freedom, 2000)
  const key = `${probability} ${degrees}`
  const found = known.get(key)
  if (found !== undefined) return found
  let low = 0
  let high = 1
  while (studentProbability(high, degrees) < probability) high *= 2
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (studentProbability(middle, degrees) < probability) low = middle
    else high = middle
  }
  known.set(key, high)
  return high
}
