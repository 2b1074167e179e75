import type { Previous } from '../../contracts/index.ts'
import { debate } from './debate.ts'
import { Handoff } from './handoff.ts'
import { ROLES } from './roles.ts'
import { type Site, softTokensOf } from './site.ts'
import { userMessage } from './step-messages.ts'
import { isUsable, type StepState } from './step-state.ts'
import { tryStep } from './try-step.ts'
import { ALL_TOOLS } from './validate-plan.ts'
import { voteAmong } from './vote.ts'

/** The output of a step, and what its event says beside it. */
export interface Done {
  text: string
  data?: unknown
  more: object
}

/** Does one step: asks its agent, or counts the votes of those before it. */
export async function doStep(site: Site, state: StepState): Promise<Done> {
  const { previous, plan, run } = site
  const { step } = state
  const isSink = step.id === site.sinkId
  const dependencies = step.dependsOn.flatMap((id) => site.states.get(id) ?? [])
  const reflection = isSink && previous?.reflection?.retry !== undefined ? previous.reflection : undefined
  const outputSchema = isSink ? run.options.outputSchema : undefined
  if (step.role === ROLES.vote && reflection === undefined && outputSchema === undefined) {
    return decide(site, state, dependencies)
  }
  const retry =
    reflection === undefined || previous === undefined ? undefined : { answer: previous.execution.output, reflection }
  const answer = await ask(site, state, dependencies, retry)
  return { ...answer, more: plan.steps.length > 1 && state.agentId !== step.agentId ? { by: state.agentId } : {} }
}

/** The majority's draft; without one those who drafted may debate, then a model decides. */
async function decide(site: Site, state: StepState, dependencies: readonly StepState[]): Promise<Done> {
  const drafts = dependencies.filter(isUsable)
  let texts = drafts.map(({ output }) => output)
  let { answer, clusters } = voteAmong(texts)
  let decidedBy = 'majority'
  if (answer === undefined && drafts.length > 1 && site.debateRounds > 0) {
    texts = await debate(site, state, drafts, site.debateRounds)
    ;({ answer, clusters } = voteAmong(texts))
    decidedBy = 'debate'
  }
  const groups = clusters.map((cluster) => cluster.map((index) => drafts[index]?.step.id))
  if (answer !== undefined) {
    state.tries++
    return { text: answer, more: { vote: { decidedBy, clusters: groups } } }
  }
  const revised = drafts.map((draft, index) => ({ ...draft, output: texts[index] ?? draft.output }))
  const { text, data } = await ask(site, state, revised)
  return { text, ...(data === undefined ? {} : { data }), more: { vote: { decidedBy: 'model', clusters: groups } } }
}

function ask(
  site: Site,
  state: StepState,
  dependencies: readonly StepState[],
  retry?: { answer: string; reflection: NonNullable<Previous['reflection']> },
): ReturnType<typeof tryStep> {
  const { run, artifacts } = site
  const { step, complaint } = state
  const isSink = step.id === site.sinkId
  const wanted = new Set(step.tools)
  const handoff = new Handoff(dependencies, (id) => artifacts.ofStep(id))
  const { context } = run.options
  return tryStep({
    ...site,
    state,
    user: userMessage(step, { handoff, context, recalled: run.recalled, retry, complaint }),
    tools: run.tools.filter(({ id }) => wanted.has(id) || wanted.has(ALL_TOOLS)),
    handoff,
    stream: isSink,
    outputSchema: isSink ? run.options.outputSchema : undefined,
    softTokensOf: (agentId) => softTokensOf(site, agentId),
  })
}
