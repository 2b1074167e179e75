import { definePlugin, TaskComplexityAnalyzer, TokenBudgetAllocator } from '@svc/core'
import { allocate } from '@svc/plugins'
import type { ArmInput } from '@svc/sdk/experiment'

/** The default analysis, with one agent as its recommendation whatever the task. */
const alwaysSingle = definePlugin('always-single', ({ hooks }) => {
  const analyzer = new TaskComplexityAnalyzer()
  hooks.analyze.tap('always-single', (answer, { task }) =>
    answer === undefined ? { ...analyzer.analyze(task), recommendedTopology: 'SINGLE' as const, agents: 1 } : answer,
  )
})

/** The default allocation, its shares split evenly. */
const evenly = (): ReturnType<typeof allocate> => {
  const allocator = new TokenBudgetAllocator()
  return allocate({
    allocator: {
      allocate(...words) {
        const allocation = allocator.allocate(...words)
        const { shares } = allocation
        const sum = shares.reduce((total, { tokens }) => total + tokens, 0)
        const [each, rest] = [Math.floor(sum / shares.length), sum % shares.length]
        return {
          ...allocation,
          shares: shares.map((share, index) => ({ ...share, tokens: each + (index < rest ? 1 : 0) })),
        }
      },
    },
  })
}

/** Each is the base with one thing swapped. */
export const ARMS: Readonly<Record<string, ArmInput>> = {
  'no-memory': { component: { memory: false } },
  'no-reflection': { component: { reflect: false } },
  'no-consensus': { component: { consensus: false } },
  'no-inspection': { component: { inspect: false } },
  'always-single': { component: { analyze: alwaysSingle() } },
  'even-shares': { component: { allocate: evenly() } },
  parallel: { topology: 'PARALLEL' },
  sequential: { topology: 'SEQUENTIAL' },
  centralized: { topology: 'CENTRALIZED' },
}
