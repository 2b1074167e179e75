import { definePlugin, TokenBudgetAllocator } from '../../../src/index.ts'

/** Shares less than there is. */
export default definePlugin('lost-tokens', ({ hooks }) => {
  hooks.allocate.tap('lost-tokens', (answer, { complexity }) => {
    if (answer !== undefined) return answer
    const { recommendedTopology, score, agents } = complexity
    const allocation = new TokenBudgetAllocator().allocate(recommendedTopology, score, agents)
    return { ...allocation, total: allocation.total + 1 }
  })
})
