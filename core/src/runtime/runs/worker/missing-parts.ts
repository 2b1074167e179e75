import type { RunEvent } from '../../../contracts/log/event.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import type { AgentInput, AgentProfile } from '../../../contracts/plugin/agent-profile.ts'
import type { RunCreate } from '../../../contracts/run/run.ts'
import type { Plan } from '../../../contracts/stages/plan.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { type TopologyName, toTopology } from '../../../contracts/words.ts'
import { ConfigError, NotFoundError } from '../../../errors.ts'
import { matchesGlob } from '../../../support/settings/matches-glob.ts'
import { clientToolsOf } from '../../calls/tools/client-tools.ts'
import { OWN_TOOL } from '../../calls/tools/tool-gateway.ts'
import { mayBeBrought } from '../../calls/tools/tool-sources.ts'
import type { Environment } from '../../environment.ts'
import type { InheritedStage } from '../../pipeline/pipeline-run.ts'
import { isKept, toolMark, withoutParts } from '../session/recovery/inherited-stages.ts'
import { inheritedSteps } from './takeover.ts'

type Here = Pick<Environment, 'topologies' | 'tools' | 'toolSources' | 'catalog' | 'agents' | 'unusable'>

export interface WithoutMissing {
  create: RunCreate
  /** Ids of the profiles that are not here, and marks of the tools: the plan goes on without. */
  gone: readonly string[]
  /** What the run needs and is not here, and what becomes of it without; empty: nothing. */
  missing: string
}

/**
 * The request of a run that was begun, without what is not here. What plugins have answered stands in its records.
 *
 * @throws where nothing can stand in for what is missing, or nobody can say now
 */
export async function withoutMissing(env: Here, row: RunRow, events: readonly RunEvent[]): Promise<WithoutMissing> {
  const { create } = row
  const clientTools = clientToolsOf(create.clientTools)
  const missing: string[] = []
  const gone: string[] = []
  for (const id of usedTools(events)) {
    if (env.tools.get(id) !== undefined || clientTools.has(id) || mayBeBrought(env, id)) continue
    missing.push(`the tool ${id}, which it has used (calls of it fail from now on)`)
    gone.push(toolMark(id))
  }
  const { tools, model, agents, plan, topology, ...rest } = create
  const here: RunCreate = { ...rest }
  const isHere = (name: TopologyName): boolean => toTopology(name, env.topologies.ids()) !== undefined
  const lost = [row.topology, plan?.topology, topology].find((name) => name !== undefined && !isHere(name))
  if (lost !== undefined)
    missing.push(`the topology ${lost} (its plan is executed as any other; without one svc chooses another topology)`)
  else if (topology !== undefined) here.topology = topology
  if (tools !== undefined) here.tools = toolsHere(env, tools, missing)
  if (model !== undefined && (await hasModel(env, model, 'the model', missing))) here.model = model
  const named = await agentsHere(env, agents ?? profilesOfPlan(row, events), missing, gone)
  // Where none is named, all may be chosen from, unless one of the plan has to do without a part of it.
  if (agents !== undefined || named.some((agent) => typeof agent !== 'string')) here.agents = named
  if (plan !== undefined)
    here.plan = withoutParts(isHere(plan.topology) ? plan : { ...plan, topology: 'PARALLEL' }, gone)
  return missing.length === 0 ? { create, gone, missing: '' } : { create: here, gone, missing: missing.join('; ') }
}

/**
 * That the profiles are here of the plan which a run keeps that goes on from another one, before it begins.
 *
 * @throws NotFoundError `agent_not_found`
 */
export async function checkKeptPlan(
  { agents, store }: Pick<Environment, 'agents' | 'store'>,
  row: RunRow,
): Promise<void> {
  const { create, inherits } = row
  if (inherits === undefined || create.agents !== undefined) return
  const kept = (await inheritedSteps(store, row)).findLast(isKeptPlan)
  const plan = kept === undefined ? create.plan : ((kept.outcome as InheritedStage).answer as Plan)
  // The parent's log tells which agents only a plugin knows.
  const made = (await store.events.list(inherits.runId)).filter(({ type }) => type === 'agent.created')
  for (const id of profilesOfPlan({ create: { ...create, ...(plan && { plan }) } }, made)) {
    await agents.find(id).catch((thrown) => {
      if (!(orThrow(thrown) instanceof NotFoundError)) throw thrown
      const message = `the plan that is kept of run ${inherits.runId} names the agent "${id}": ${thrown.message}. Bring it back, or fork the run before its plan`
      throw new NotFoundError('agent_not_found', message, { cause: thrown })
    })
  }
}

const isKeptPlan = (step: StepRow): boolean => isKept(step) && step.key.includes('/plan:')

/** The profiles of the plan that the run is at, without the agents that the plugin has which executes it. */
function profilesOfPlan(
  { create, parted = [] }: Pick<RunRow, 'create' | 'parted'>,
  events: readonly RunEvent[],
): string[] {
  let { plan } = create
  const without = new Set<string | undefined>()
  for (const { type, data, agentId } of events) {
    if (type === 'plan.created') plan = data
    if (type === 'plan.revised') ({ plan } = data)
    if (type === 'agent.created' && !('instructions' in data)) without.add(agentId)
  }
  const isNamed = (agentId: string, id: string): boolean =>
    !without.has(agentId) || parted.some(({ missing }) => missing?.includes(lacking(id)))
  const named = plan?.agents.flatMap(({ agentId, profileId: id }) => (id && isNamed(agentId, id) ? id : []))
  return [...new Set(named)]
}

const lacking = (agent: string): string => `the agent ${agent} (its steps are done without its profile)`

/** Those of plugins. */
function usedTools(events: readonly RunEvent[]): Set<string> {
  const own = new Set<string>()
  const used = new Set<string>()
  for (const { type, data } of events) {
    if (type === 'tool.requested' && data.source === OWN_TOOL) own.add(data.tool)
    if (type === 'tool.started' && !own.has(data.tool)) used.add(data.tool)
  }
  return used
}

function toolsHere(
  env: Here,
  { allow, deny }: NonNullable<RunCreate['tools']>,
  missing: string[],
): NonNullable<RunCreate['tools']> {
  const ids = env.tools.ids()
  const isHere = (pattern: string): boolean => {
    const isKnown = ids.some((id) => matchesGlob(pattern, id)) || mayBeBrought(env, pattern)
    if (!isKnown) missing.push(`the tool ${pattern}, which it names (it goes on without)`)
    return isKnown
  }
  return { ...(allow && { allow: allow.filter(isHere) }), ...(deny && { deny: deny.filter(isHere) }) }
}

/** Whether a model can be asked; else the default stands in for it. @throws where there is none */
async function hasModel({ catalog }: Here, name: string, what: string, missing: string[]): Promise<boolean> {
  const thrown = await catalog.resolve(name).then(() => undefined, orThrow)
  if (thrown === undefined) return true
  const { provider, model } = await catalog.resolve('')
  missing.push(`${what} ${name} (${provider.id}/${model} answers from now on: ${thrown.message})`)
  return false
}

async function agentsHere(
  env: Here,
  named: NonNullable<RunCreate['agents']>,
  missing: string[],
  gone: string[],
): Promise<NonNullable<RunCreate['agents']>> {
  const here: NonNullable<RunCreate['agents']> = []
  for (const agent of named) {
    const found = typeof agent === 'string' ? await env.agents.resolve([agent]).then(([one]) => one, orThrow) : agent
    if (found === undefined) continue
    if (found instanceof Error) {
      gone.push(String(agent))
      missing.push(lacking(String(agent)))
    } else here.push((await withPartsHere(env, found, missing)) ?? agent)
  }
  return here
}

/** An agent without its model, and without those of its tools, that are not here; undefined where it has all of them. */
async function withPartsHere(
  env: Here,
  agent: AgentProfile | AgentInput,
  missing: string[],
): Promise<AgentInput | undefined> {
  const { model, tools = ['*'], ...rest } = agent
  const known = missing.length
  const hasItsModel = model === undefined || (await hasModel(env, model, `for ${agent.name} the model`, missing))
  const isBroken = (id: string): boolean => env.unusable.some((part) => part.kind === 'tool' && part.id === id)
  for (const id of tools.filter(isBroken))
    missing.push(`for ${agent.name} the tool ${id} (calls of it fail from now on)`)
  if (missing.length === known) return undefined
  return { ...rest, tools: tools.filter((id) => !isBroken(id)), ...(hasItsModel && model !== undefined && { model }) }
}

/** That something is not here. @throws what says nothing of the kind */
function orThrow(thrown: unknown): NotFoundError | ConfigError {
  if (thrown instanceof NotFoundError || thrown instanceof ConfigError) return thrown
  throw thrown
}
