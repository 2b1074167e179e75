import type { PlanResult } from '@svc/core'

/** A plan as a person reads it: who does what, after what, and for how many tokens. */
export function renderPlan({ plan, budget, complexity }: PlanResult): string {
  const agents = plan.agents.map(({ agentId, name, role }) => {
    const share = budget.shares.find((candidate) => candidate.agentId === agentId)
    return `  ${agentId}  ${name} (${role})${share === undefined ? '' : `, ${share.tokens} tokens`}`
  })
  const steps = plan.steps.flatMap(({ id, agentId, objective, dependsOn, acceptance, tools }) => [
    `  ${id}  ${agentId}${dependsOn.length > 0 ? `, after ${dependsOn.join(', ')}` : ''}: ${objective}`,
    ...acceptance.filter(saysMore).map((sentence) => `      done when: ${sentence}`),
    ...(tools.length > 0 ? [`      tools: ${tools.join(', ')}`] : []),
  ])
  return [
    `Topology ${plan.topology}, difficulty ${complexity.score.toFixed(2)}, ${budget.total} tokens`,
    'Agents',
    ...agents,
    'Steps',
    ...steps,
    ...(plan.criticalPath.length > 1 ? [`Critical path: ${plan.criticalPath.join(' > ')}`] : []),
    ...plan.warnings.map((warning) => `Warning: ${warning}`),
  ].join('\n')
}

/** The default acceptance, that a step answers its objective, is not shown. */
const saysMore = (sentence: string): boolean => !sentence.startsWith('answers: ')
