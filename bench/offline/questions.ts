import { ABOUT_CODE } from './about-code.ts'
import { ABOUT_NUMBERS } from './about-numbers.ts'
import { ABOUT_TEXTS, EASY, type Maker } from './about-package.ts'
import type { Project } from './project.ts'
import { pick, type Question } from './score.ts'

const EASY_ONES = 2
const QUESTIONS = 8

/** Two easy questions and up to six others, of kinds in an order that depends on the package's name. */
export function questionsFor(project: Project): Question[] {
  const order = (makers: readonly Maker[]): Question[] =>
    makers
      .flatMap((make, index) => ({ question: make(project), at: pick(`${project.name} ${index}`, 1000) }))
      .sort((a, b) => a.at - b.at)
      .flatMap(({ question }) => question ?? [])
  const easy = order(EASY).slice(0, EASY_ONES)
  const others = order([...ABOUT_TEXTS, ...ABOUT_CODE, ...ABOUT_NUMBERS])
  return [...easy, ...others].slice(0, QUESTIONS)
}
