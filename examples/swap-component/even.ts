import { definePlugin } from '@svc/core'

/** Answers `allocate` with equal shares; a tenth is kept back for the final answer, and nothing for anything else. */
export default definePlugin('even', ({ hooks }) => {
  hooks.allocate.tap('even', (answer, { complexity }, run) => {
    if (answer) return answer
    const total = run.options.tokenBudget ?? 64_000
    const final = Math.floor(total / 10)
    const tokens = Math.floor((total - final) / complexity.agents)
    const contingency = total - final - complexity.agents * tokens
    return {
      total,
      topology: complexity.recommendedTopology,
      shares: Array.from({ length: complexity.agents }, (_, index) => ({
        agentId: `agent-${index + 1}`,
        role: 'worker',
        tokens,
      })),
      reserves: { coordination: 0, synthesis: 0, reflection: 0, consensus: 0, final, contingency },
      underfunded: false,
      explanation: [`${complexity.agents} equal shares of ${tokens} tokens`],
    }
  })
})
