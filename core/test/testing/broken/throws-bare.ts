import { definePlugin } from '../../../src/index.ts'

/** Throws an error without a code. */
export default definePlugin('throws-bare', ({ hooks }) => {
  hooks.analyze.tap('throws-bare', (answer) => {
    if (answer !== undefined) return answer
    throw new Error('no idea')
  })
})
