import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Answers with a score above 1. */
export default definePlugin('out-of-schema', ({ hooks }) => {
  hooks.analyze.tap('out-of-schema', (answer, { task }) => answer ?? { ...complexityOf(task), score: 7 })
})
