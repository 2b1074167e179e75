import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Says how long the process has been up. */
export default definePlugin('times-itself', ({ hooks }) => {
  hooks.analyze.tap(
    'times-itself',
    (answer, { task }) => answer ?? { ...complexityOf(task), estimatedTurns: performance.now() },
  )
})
