import { ask, type Maker } from './about-package.ts'
import type { Project } from './project.ts'
import { choose, numbersOf, pick } from './score.ts'

/** Judged by the number: false where another one is given as the result. */
const arithmetic: Maker = ({ name }: Project) => {
  const [a, b] = [1000 + pick(`${name} a`, 90_000), 2 + pick(`${name} b`, 60)]
  const written = a.toLocaleString('en-US')
  const asked: [string, number][] = [
    [`What is ${b}.5% of ${written}?`, ((b + 0.5) * a) / 100],
    [`How much is ${written} plus ${b}%?`, a * (1 + b / 100)],
    [`What is ${written}.50 + 2,345,678.25?`, a + 0.5 + 2_345_678.25],
    [`What percentage of ${written} is ${b}?`, (100 * b) / a],
    [`${written} divided by ${b}`, a / b],
    [`Calculate ${b} * (${written} - 250)`, b * (a - 250)],
    [`What is ${b} million divided by 8?`, (b * 1_000_000) / 8],
  ]
  const [text, truth] = choose(asked, name) ?? ['', 0]
  const right = (answer: string): boolean => numbersOf(answer).some((number) => Math.abs(number - truth) <= 0.006)
  return ask('arithmetic', [text], '', right, (answer) => !/^I could not/.test(answer) && !right(answer))
}

export const ABOUT_NUMBERS: readonly Maker[] = [arithmetic]
