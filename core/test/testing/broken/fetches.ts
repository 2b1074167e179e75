import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Asks a server by itself, and does without where it does not answer. */
export default definePlugin('fetches', ({ hooks }) => {
  hooks.analyze.tapPromise('fetches', async (answer, { task }) => {
    if (answer !== undefined) return answer
    await fetch('http://127.0.0.1:9/').catch(() => undefined)
    return complexityOf(task)
  })
})
