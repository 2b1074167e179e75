import { definePlugin, noUsage } from '../../../src/index.ts'

/** Finds agreement at any risk, also where the run wants none. */
export default definePlugin('always-votes', ({ hooks }) => {
  hooks.consensus.tap('always-votes', (answer, { execution }) => {
    if (answer !== undefined) return answer
    const vote = { voter: 'one', family: 'one', answer: execution.output, usage: noUsage() }
    return {
      decision: 'accept',
      answer: execution.output,
      posterior: 1,
      confidence: 1,
      votes: [vote],
      effectiveVotes: 1,
      clusters: [{ canonical: execution.output, voters: ['one'], weight: 1 }],
      minority: [],
      stopReason: 'confident',
      usage: noUsage(),
    }
  })
})
