import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Answers whatever was answered before. */
export default definePlugin('over-earlier', ({ hooks }) => {
  hooks.analyze.tap('over-earlier', (_answer, { task }) => ({ ...complexityOf(task), explanation: ['mine'] }))
})
