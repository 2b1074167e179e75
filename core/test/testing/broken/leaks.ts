import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

const seen: string[] = []

/** Keeps what every run asked, beside all runtimes. */
export default definePlugin('leaks', ({ hooks }) => {
  hooks.analyze.tap('leaks', (answer, { task }) => {
    seen.push(task.description)
    return answer ?? { ...complexityOf(task), openQuestions: [`asked before: ${seen.length}`] }
  })
})
