import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Keeps the first task of its runtime, and answers it to every later run. */
export default definePlugin('remembers-in-instance', ({ hooks }) => {
  let first: string | undefined
  hooks.analyze.tap('remembers-in-instance', (answer, { task }) => {
    first ??= task.description
    return answer ?? { ...complexityOf(task), explanation: [first] }
  })
})
