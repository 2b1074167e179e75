/** A question about a package, written by somebody who did not read the provider, and how its answer is judged. */
export interface Question {
  id: string
  language: string
  kind: string
  question: string
  /** Of each group one alternative must stand in the answer; none where nothing in the package answers it. */
  expect: string[][]
  /** What must not stand there. */
  reject: string[]
}

/**
 * `right`: stated, with all that is expected. `honest`: it says that it does not answer. `wrong`: stated, and something
 * else, or an answer to what nothing answers.
 */
export type Score = 'right' | 'honest' | 'wrong'

export function score({ expect, reject }: Question, answer: string): Score {
  if (answer.startsWith('I could not answer this')) return 'honest'
  const isRight =
    expect.length > 0 &&
    expect.every((group) => group.some((one) => holds(answer, one))) &&
    !reject.some((one) => holds(answer, one))
  return isRight ? 'right' : 'wrong'
}

function holds(answer: string, alternative: string): boolean {
  const pattern = /^\/(.+)\/$/s.exec(alternative)?.[1]
  return pattern === undefined
    ? answer.toLowerCase().includes(alternative.toLowerCase())
    : new RegExp(pattern, 'i').test(answer)
}
