import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Draws its confidence from Math.random. */
export default definePlugin('draws-random', ({ hooks }) => {
  hooks.analyze.tap(
    'draws-random',
    (answer, { task }) => answer ?? { ...complexityOf(task), confidence: Math.random() },
  )
})
