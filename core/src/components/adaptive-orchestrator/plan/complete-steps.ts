import type { PlanStep, ToolInfo, ToolRisk } from '../../../contracts/index.ts'
import { DEFAULT_TRIES } from '../../../plan/read-plan.ts'
import { ROLES } from '../../../plan/roles.ts'
import { ALL_TOOLS } from '../../../plan/validate-plan.ts'
import { toStems } from '../../../text/index.ts'
import type { TeamMember } from '../agents.ts'
import type { StepDraft } from './shapes.ts'

/** Fills in what every topology gives its steps alike: tools, risk, tries. */
export function completeSteps(
  drafts: readonly StepDraft[],
  members: readonly TeamMember[],
  allowed?: readonly ToolInfo[],
): PlanStep[] {
  return drafts.map((draft) => {
    const tools = toolsFor(
      draft,
      members.find(({ agentId }) => agentId === draft.agentId)?.candidate?.tools ?? [ALL_TOOLS],
      allowed,
    )
    const { id, objective, agentId, role, dependsOn, estimatedTokens, acceptance, outputFormat, tools: wanted } = draft
    const held = (wanted === undefined ? tools : tools.filter((tool) => wanted.includes(tool))).filter(
      (tool) => draft.readsOnly !== true || allowed?.find(({ id: known }) => known === tool)?.risk === 'read',
    )
    const step: PlanStep = {
      id,
      objective,
      agentId,
      role,
      dependsOn,
      estimatedTokens,
      acceptance,
      inputs: [],
      tools: withSkills(held, allowed),
      risk: riskOf(draft, held, allowed),
      maxTries: DEFAULT_TRIES,
    }
    if (outputFormat !== undefined) step.outputFormat = outputFormat
    return step
  })
}

/** Work gets the tools of its agent; brief and review may look things up; synthesis and vote live on what they are given. */
function toolsFor(
  { role }: Pick<StepDraft, 'role'>,
  own: readonly string[],
  allowed: readonly ToolInfo[] | undefined,
): string[] {
  if (role === ROLES.synthesizer || role === ROLES.vote) return []
  if (allowed === undefined) return [...own]
  const usable = allowed.filter(({ id }) => own.includes(ALL_TOOLS) || own.includes(id))
  return usable.filter(({ risk }) => role === ROLES.worker || risk === 'read').map(({ id }) => id)
}

/** Shows how work is done: an agent that has a tool has it too, whatever its profile or a planner lists. */
const SKILLS = 'skill'

export const withSkills = (held: string[], allowed: readonly ToolInfo[] = []): string[] =>
  held.length === 0 || held.some((id) => id === SKILLS || id === ALL_TOOLS) || !allowed.some(({ id }) => id === SKILLS)
    ? held
    : [...held, SKILLS]

const RISKS: readonly ToolRisk[] = ['read', 'network', 'write', 'execute', 'destructive']
const WORDS: { readonly [R in ToolRisk]: readonly string[] } = {
  read: [],
  network: ['fetch', 'download', 'url', 'http', 'https', 'website', 'web'],
  write: ['write', 'save', 'create', 'edit', 'update', 'rename', 'append', 'replace'],
  execute: ['run', 'execute', 'install', 'build', 'test', 'start'],
  destructive: ['delete', 'remove', 'drop', 'deploy', 'publish', 'send'],
}
let stemsOfRisks: ReadonlyMap<ToolRisk, ReadonlySet<string>> | undefined

/** The highest risk that the words of a step ask for and one of its tools can do. */
function riskOf(
  { objective }: Pick<StepDraft, 'objective'>,
  tools: readonly string[],
  allowed: readonly ToolInfo[] | undefined,
): ToolRisk {
  const possible = new Set<ToolRisk>()
  for (const { id, risk } of allowed ?? []) if (risk !== 'read' && tools.includes(id)) possible.add(risk)
  if (possible.size === 0) return 'read'
  stemsOfRisks ??= new Map(RISKS.map((risk) => [risk, new Set(WORDS[risk].flatMap((word) => toStems(word)))]))
  const known = stemsOfRisks
  const stems = toStems(objective)
  return RISKS.findLast((risk) => possible.has(risk) && stems.some((stem) => known.get(risk)?.has(stem))) ?? 'read'
}
