import type { AgentProfile, Execution, Plan, PlanStep, ToolInfo } from '../../../contracts/index.ts'
import { isOptional } from '../../../plan/roles.ts'
import { requirePlan } from '../../../plan/validate-plan.ts'
import { coverageOf, coveredBy } from '../acceptance.ts'
import { isGap, isOutage, otherProfile, piecesOf } from '../alternatives.ts'
import { reusableSteps } from '../reuse.ts'

export interface ReplanContext {
  tools?: readonly ToolInfo[]
  agents?: readonly AgentProfile[]
}

/**
 * Plans the unfinished part again; what is finished, and stands on nothing unfinished, stays as it is.
 * A step that failed goes to an agent that has not tried yet, else it is cut into its pieces; a brief or review that failed
 * is left out.
 */
export function replanSteps(plan: Plan, execution: Execution, context: ReplanContext = {}): Plan {
  const finished = reusableSteps(plan, { plan, execution })
  const results = new Map(execution.steps.map((result) => [result.id, result]))
  const agents = [...plan.agents]
  const warnings = [...plan.warnings]
  let steps = plan.steps.map((step) => ({ ...step, dependsOn: [...step.dependsOn] }))
  for (const step of [...steps]) {
    const result = results.get(step.id)
    if (finished.has(step.id) || result?.status !== 'failed') continue
    if (isOptional(plan, step)) {
      steps = replace(steps, step, [])
      warnings.push(`${step.id} failed and is left out`)
      continue
    }
    // What was out of turns may be too large for one agent; other limits and mishaps are no fault of who did it.
    const isTooMuch = isGap(result.error) || result.error?.code === 'max_steps'
    if (!isTooMuch && !isOutage(result.error)) continue
    const profile = otherProfile({ ...plan, agents }, step, context.agents ?? [], result.error)
    if (profile !== undefined) {
      const agentId = freeId(agents.map((agent) => agent.agentId))
      agents.push({ agentId, name: profile.name, role: profile.role, profileId: profile.id })
      step.agentId = agentId
      warnings.push(`${step.id} failed and goes to ${profile.name}`)
      continue
    }
    const pieces = isTooMuch ? piecesOf(step) : []
    if (pieces.length < 2) continue
    const parts = pieces.map((objective, index) => ({
      ...step,
      id: `${step.id}-${index + 1}`,
      objective,
      acceptance: [],
      estimatedTokens: Math.ceil(step.estimatedTokens / pieces.length),
    }))
    steps = replace(steps, step, parts)
    warnings.push(`${step.id} failed and is done in ${parts.length} pieces`)
  }
  const used = new Set(steps.map(({ agentId }) => agentId))
  return requirePlan(
    { ...plan, id: nextId(plan.id), agents: agents.filter(({ agentId }) => used.has(agentId)), steps, warnings },
    { mend: true, source: plan.source, ...(context.tools === undefined ? {} : { tools: context.tools }) },
  )
}

/** Puts other steps where one step was; without any, those that waited for it wait for what it waited for. */
function replace(steps: readonly PlanStep[], old: PlanStep, parts: readonly PlanStep[]): PlanStep[] {
  const heirs = parts.length > 0 ? parts.map(({ id }) => id) : old.dependsOn
  const mark = parts.map(({ id }) => `{{${id}}}`).join('\n')
  return steps.flatMap((step) => {
    if (step.id === old.id) return parts
    if (!step.dependsOn.includes(old.id)) return [step]
    return [
      {
        ...step,
        objective: step.objective.replaceAll(`{{${old.id}}}`, mark),
        acceptance: step.acceptance.flatMap((line) =>
          coveredBy(line) === old.id && parts.length > 0 ? parts.map(coverageOf) : [line],
        ),
        dependsOn: [...new Set(step.dependsOn.flatMap((id) => (id === old.id ? heirs : [id])))],
      },
    ]
  })
}

function freeId(taken: readonly string[]): string {
  let number = taken.length + 1
  while (taken.includes(`agent-${number}`)) number++
  return `agent-${number}`
}

/** `plan-1` → `plan-2`. */
function nextId(id: string): string {
  const number = /-(\d{1,6})$/.exec(id)?.[1]
  return number === undefined ? `${id}-2` : `${id.slice(0, -number.length)}${Number(number) + 1}`
}
