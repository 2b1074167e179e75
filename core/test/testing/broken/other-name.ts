import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Taps under the name of another plugin. */
export default definePlugin('other-name', ({ hooks }) => {
  hooks.analyze.tap('analyze', (answer, { task }) => answer ?? complexityOf(task))
})
