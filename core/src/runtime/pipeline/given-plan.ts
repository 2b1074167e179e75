import type { Allocation } from '../../contracts/stages/allocation.ts'
import type { Complexity } from '../../contracts/stages/complexity.ts'
import type { Plan } from '../../contracts/stages/plan.ts'
import { TOPOLOGIES } from '../../contracts/words.ts'

/** The complexity of a task whose plan was given: nothing was measured. */
export function describeGiven(taskId: string, plan: Plan): Complexity {
  return {
    taskId,
    score: 0,
    recommendedTopology: plan.topology,
    confidence: 1,
    agents: Math.min(20, plan.agents.length),
    features: {},
    contributions: {},
    utilities: Object.fromEntries(
      TOPOLOGIES.map((topology) => [topology, Number(topology === plan.topology)]),
    ) as Complexity['utilities'],
    alternatives: [],
    estimatedTurns: plan.steps.length,
    explanation: ['The plan was given, so the task was not analyzed.'],
    openQuestions: [],
    source: 'lexical',
  }
}

/** An equal share for each agent of a given plan; what does not divide is contingency. */
export function allocateGiven(plan: Plan, total: number): Allocation {
  const tokens = Math.floor(total / plan.agents.length)
  return {
    total,
    topology: plan.topology,
    shares: plan.agents.map(({ agentId, role }) => ({ agentId, role, tokens })),
    reserves: {
      coordination: 0,
      synthesis: 0,
      reflection: 0,
      consensus: 0,
      final: 0,
      contingency: total - tokens * plan.agents.length,
    },
    underfunded: false,
    explanation: ['The plan was given, so its agents share the budget equally.'],
  }
}
