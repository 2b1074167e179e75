/**
 * Exact two-sided McNemar test: are the tasks that only one of two arms solves divided as evenly as a coin would do?
 *
 * @param onlyBase tasks that the base alone solved
 * @param onlyArm tasks that the arm alone solved
 * @returns p, above 0 and at most 1; 1 where no task tells them apart
 * @see McNemar, Note on the sampling error of the difference between correlated proportions, 1947
 */
export function mcnemar(onlyBase: number, onlyArm: number): number {
  const tosses = onlyBase + onlyArm
  let log = -tosses * Math.LN2
  let tail = 0
  for (let heads = 0; heads <= Math.min(onlyBase, onlyArm); heads++) {
    tail += Math.exp(log)
    log += Math.log((tosses - heads) / (heads + 1))
  }
  return Math.min(1, 2 * tail)
}
