/**
 * Belief that the leader is the most common answer, from its votes and those of the runner-up.
 *
 * P = Σ_{k=0..leader} C(n, k) / 2^n with n = leader + runnerUp + 1: the chance that a Beta(leader + 1, runnerUp + 1)
 * share is above one half, in closed form (Adaptive-Consistency, Aggarwal et al., 2023, arXiv 2305.11860). Between whole
 * numbers, which only weighted votes give, it is interpolated. It says what the voters would say, not what is true.
 */
export function beliefInLeader(leader: number, runnerUp: number): number {
  const a = Math.floor(leader)
  const b = Math.floor(runnerUp)
  const partOfA = leader - a
  const partOfB = runnerUp - b
  const lower = partOfB === 0 ? closedForm(a, b) : mix(closedForm(a, b), closedForm(a, b + 1), partOfB)
  if (partOfA === 0) return lower
  const upper = partOfB === 0 ? closedForm(a + 1, b) : mix(closedForm(a + 1, b), closedForm(a + 1, b + 1), partOfB)
  return mix(lower, upper, partOfA)
}

const mix = (from: number, to: number, part: number): number => from + (to - from) * part

function closedForm(leader: number, runnerUp: number): number {
  const n = leader + runnerUp + 1
  let term = 1
  let sum = 1
  for (let k = 1; k <= leader; k++) {
    term *= (n - k + 1) / k
    sum += term
  }
  return Math.min(1, sum / 2 ** n)
}
