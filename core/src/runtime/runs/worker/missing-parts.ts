import type { RunEvent } from '../../../contracts/log/event.ts'
import type { AgentInput, AgentProfile } from '../../../contracts/plugin/agent-profile.ts'
import type { RunCreate } from '../../../contracts/run/run.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { ConfigError, NotFoundError } from '../../../errors.ts'
import { matchesGlob } from '../../calls/policy/match-rule.ts'
import { OWN_TOOL } from '../../calls/tools/tool-gateway.ts'
import type { Environment } from '../../environment.ts'

type Here = Pick<Environment, 'tools' | 'catalog' | 'agents' | 'unusable'>

export interface WithoutMissing {
  create: RunCreate
  /** What the run needs and is not here, and what becomes of it without; empty: nothing. */
  missing: string
}

/**
 * The request of a run that was begun, without what is not here. What plugins have answered stands in its records.
 *
 * @throws where nothing can stand in for what is missing, or nobody can say now
 */
export async function withoutMissing(
  env: Here,
  { create }: RunRow,
  events: readonly RunEvent[],
): Promise<WithoutMissing> {
  const missing: string[] = []
  for (const id of usedTools(events))
    if (env.tools.get(id) === undefined)
      missing.push(`the tool ${id}, which it has used (calls of it fail from now on)`)
  const { tools, model, agents, ...rest } = create
  const here: RunCreate = { ...rest }
  if (tools !== undefined) here.tools = toolsHere(env, tools, missing)
  if (model !== undefined && (await hasModel(env, model, 'the model', missing))) here.model = model
  if (agents !== undefined) here.agents = await agentsHere(env, agents, missing)
  return missing.length === 0 ? { create, missing: '' } : { create: here, missing: missing.join('; ') }
}

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
  { tools }: Here,
  { allow, deny }: NonNullable<RunCreate['tools']>,
  missing: string[],
): NonNullable<RunCreate['tools']> {
  const ids = tools.ids()
  const isHere = (pattern: string): boolean => {
    const isKnown = ids.some((id) => matchesGlob(pattern, id))
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
): Promise<NonNullable<RunCreate['agents']>> {
  const here: NonNullable<RunCreate['agents']> = []
  for (const agent of named) {
    const found = typeof agent === 'string' ? await env.agents.resolve([agent]).then(([one]) => one, orThrow) : agent
    if (found instanceof Error) missing.push(`the agent ${agent} (its steps are done without its profile)`)
    else if (found !== undefined) here.push((await withPartsHere(env, found, missing)) ?? agent)
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
