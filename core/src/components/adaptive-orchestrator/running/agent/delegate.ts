import type { AgentProfile, PlanStep } from '../../../../contracts/index.ts'
import { ToolError } from '../../../../errors.ts'
import { ROLES } from '../../../../plan/roles.ts'
import { clip, oneLine } from '../../clip.ts'
import { withSkills } from '../../plan/complete-steps.ts'
import { toWorker, type Worker } from '../../workers.ts'
import { findStop } from '../find-stop.ts'
import type { ExecutionContext } from '../state/execution-context.ts'
import { type DelegatedState, type Delegation, isUsable, newState, type StepState } from '../state/step-state.ts'
import { type OwnTool, quoteResult } from './handoff.ts'

export const DELEGATE = 'delegate'

/** Pieces of work that the agents of one execution may give away together. */
const MOST = 32
/** Part of what the agent may still take that the other one gets, where the call does not say. */
const SHARE = 0.25
/** With fewer tokens nothing is done that is worth a call. */
const LEAST_TOKENS = 500
/** Characters of a result that are handed back. */
const MOST_CHARACTERS = 64_000

export interface DelegateArgs {
  task: string
  agent?: string
  share?: number
  background?: boolean
}

/** Starts another agent. The orchestrator does it: the call itself is only allowed, or not. */
export const delegateTool: OwnTool = {
  id: DELEGATE,
  description:
    'Gives a piece of work to another agent and returns its result. Worth it for work that takes many calls of which only the result matters, and for several pieces that can be done at once.',
  parameters: {
    type: 'object',
    properties: {
      task: {
        type: 'string',
        minLength: 1,
        maxLength: 20_000,
        description: 'What to do, with all that it needs to know: it sees neither your task nor what you have read.',
      },
      agent: { type: 'string', description: 'Who does it, by id; left out: an agent like you.' },
      share: {
        type: 'number',
        minimum: 0.05,
        maximum: 0.9,
        default: SHARE,
        description: 'Part of the tokens that you may still take that it gets.',
      },
      background: {
        type: 'boolean',
        default: false,
        description: 'true: go on at once; you get its result when it is there, at the latest before you answer.',
      },
    },
    required: ['task'],
    additionalProperties: false,
  },
  risk: 'read',
  needsAgents: true,
  touches: async () => ({}),
  run: async () => {
    throw new ToolError('tool_failed', `${DELEGATE}: only the default orchestrator starts agents that others ask for`)
  },
}

/** The tool of an agent that may give work to these. */
export const delegateTo = (agents: readonly AgentProfile[]): OwnTool => ({
  ...delegateTool,
  async run(args) {
    const { agent } = args as DelegateArgs
    if (agent === undefined) return 'given to another agent'
    const ids = agents.map(({ id }) => id)
    if (ids.includes(agent)) return `given to ${agent}`
    const known = ids.length === 0 ? 'leave it out: this run has no others' : `it must be one of ${ids.join(', ')}`
    throw new ToolError('tool_bad_args', `${DELEGATE}: there is no agent "${agent}"; ${known}`)
  },
})

/** Part of the system message of an agent that may give work to these. */
export const describeAgents = (agents: readonly AgentProfile[]): string =>
  agents.length === 0
    ? ''
    : `Agents for ${DELEGATE}:\n${agents.map(({ id, name, description = name }) => `- ${id}: ${clip(oneLine(description), 200)}`).join('\n')}`

/**
 * Has another agent do a piece of work, as a step of the same run: with a part of the tokens of the agent that gives it away,
 * under the same policy. It cannot give work away itself.
 *
 * @param id of the step that it becomes
 * @returns what the agent that asked gets: the result, or that the work has begun
 * @throws CancelledError, PluginError and what else ends the execution
 */
export async function delegate(
  context: ExecutionContext,
  parent: StepState,
  id: string,
  { task, agent, share = SHARE, background = false }: DelegateArgs,
): Promise<string> {
  const { run } = context
  const left = Math.min(run.budget.available(parent.agentId), run.budget.remaining(parent.agentId))
  const tokens = Math.floor(left * share)
  const given = [...context.states.values()].filter((state) => state.parent !== undefined)
  const refusal =
    given.length >= MOST
      ? `the agents of this run have given away ${MOST} pieces of work, which is the most`
      : tokens < LEAST_TOKENS
        ? `${tokens} tokens are too few for another agent`
        : findStop(context)?.message
  if (refusal !== undefined) return `Error: ${refusal}. Do it yourself, or answer without it.`

  const worker = workerFor(context, parent, id, agent)
  const step = stepFor(parent.step, id, task, worker)
  const tools = withSkills(step.tools, run.tools)
  const state: DelegatedState = { ...newState({ ...step, tools }), parent }
  context.join(state, worker, tokens)
  const delegation: Delegation = { state, done: inTurn(context, state) }
  if (background) {
    // The agent that waits for it sees the failure; that none does yet is no fault.
    delegation.done.catch(() => {})
    parent.untold.push(delegation)
    return `${id} has begun. Go on with what does not need it.`
  }
  await delegation.done
  return tell(context, delegation)
}

async function inTurn({ places, run, starter }: ExecutionContext, state: DelegatedState): Promise<void> {
  await places.enter(run.signal)
  try {
    await starter.begin(state)
  } finally {
    places.leave()
  }
}

/**
 * What came of work in the background since the agent last heard of it, as a message to it.
 *
 * @param key of the call, unique in the run
 * @param waits whether it goes on with nothing else before all of it is over
 * @returns undefined where there is nothing new
 */
export async function newsOf(
  context: ExecutionContext,
  parent: StepState,
  key: string,
  waits: boolean,
): Promise<string | undefined> {
  if (parent.untold.length === 0) return undefined
  const isOver = ({ state }: Delegation): boolean => state.endedAt !== undefined
  // Recorded, since a recovery and a replay have to tell it between the same two calls.
  const over = await context.run.record(
    key,
    async () => parent.untold.filter((one) => waits || isOver(one)).map(({ state }) => state.step.id),
    { effect: 'pure' },
  )
  const told = parent.untold.filter(({ state }) => over.includes(state.step.id))
  parent.untold = parent.untold.filter((one) => !told.includes(one))
  await Promise.all(told.map(({ done }) => done))
  return told.length === 0 ? undefined : told.map((one) => tell(context, one)).join('\n\n')
}

function tell({ progress }: ExecutionContext, { state }: Delegation): string {
  const { step, agentId, output, error } = state
  progress.handBack(state)
  const text = isUsable(state) ? clip(output, MOST_CHARACTERS) : `(no result: ${error?.message ?? 'it was stopped'})`
  return quoteResult(step.id, agentId, text)
}

/** Without a profile it is one more like the agent that asks. */
function workerFor(context: ExecutionContext, parent: StepState, id: string, agent: string | undefined): Worker {
  const agentId = `agent-${id}`
  const profile = context.run.agents.find((one) => one.id === agent)
  if (profile === undefined)
    return {
      ...toWorker({ agentId, name: agentId, role: ROLES.worker }),
      model: context.workerOf(parent.agentId).model,
    }
  const { name, role } = profile
  return toWorker({ agentId, name, role, profileId: profile.id }, [profile])
}

const stepFor = (parent: PlanStep, id: string, objective: string, { agentId, profile }: Worker): PlanStep => ({
  id,
  objective,
  agentId,
  role: ROLES.worker,
  dependsOn: [],
  inputs: [],
  acceptance: [`answers: ${objective}`],
  tools: profile?.tools ?? parent.tools,
  estimatedTokens: parent.estimatedTokens,
  risk: parent.risk,
  maxTries: parent.maxTries,
})
