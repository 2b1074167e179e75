import { definePlugin } from '../../../src/index.ts'

/** Changes an earlier answer in place, and hands back nothing. */
export default definePlugin('in-place', ({ hooks }) => {
  hooks.analyze.tap('in-place', (answer) => void answer?.explanation.push('mine'))
})
