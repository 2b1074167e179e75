import { textMessage } from '../../contracts/index.ts'
import { toSvcError } from '../../errors.ts'
import { clip } from './clip.ts'
import { headLength } from './handoff.ts'
import { runStep } from './run-step.ts'
import type { Site } from './site.ts'
import { systemMessage } from './step-messages.ts'
import type { StepState } from './step-state.ts'
import { voteAmong } from './vote.ts'

/** Rounds after which more talk only moves answers away from what was found. */
export const MAX_DEBATE_ROUNDS = 2

/**
 * Lets those who drafted see each other's drafts and revise their own, until a majority agrees, nobody changes anything or
 * the rounds are over. Without tools: what there is to find was found for the drafts.
 *
 * @returns the drafts as they stand, in order; who fails or is silent keeps the draft it had
 * @see Choi et al., Debate or Vote?, 2025 (arXiv 2508.17536), for why it is short and off by default
 */
export async function debate(
  site: Site,
  vote: StepState,
  drafts: readonly StepState[],
  rounds: number,
): Promise<string[]> {
  let texts = drafts.map(({ output }) => output)
  for (let round = 1; round <= Math.min(rounds, MAX_DEBATE_ROUNDS); round++) {
    if (voteAmong(texts).answer !== undefined || site.run.budget.exhausted || site.turnsLeft() < drafts.length) break
    const revised = await Promise.all(drafts.map((draft, index) => revise(site, vote, draft, index, texts, round)))
    const changed = revised.some((text, index) => text !== texts[index])
    texts = revised
    if (!changed) break
  }
  return texts
}

async function revise(
  site: Site,
  vote: StepState,
  { step, agentId }: StepState,
  index: number,
  texts: readonly string[],
  round: number,
): Promise<string> {
  const { run, tally } = site
  const own = texts[index] ?? ''
  const worker = site.workers.get(agentId)
  if (worker === undefined) return own
  const most = headLength(texts.length)
  const others = texts.filter((_, other) => other !== index).map((text) => `<result>\n${clip(text, most)}\n</result>`)
  const user = [
    step.objective,
    `Your earlier answer:\n<answer>\n${clip(own, most)}\n</answer>`,
    `Others answered, unseen by each other:\n${others.join('\n')}`,
    'Where theirs rests on better evidence, correct yours; where it does not, keep yours. Give your whole answer.',
  ].join('\n\n')
  const messages = [systemMessage(worker, step), textMessage('user', user)]
  try {
    const { text } = await runStep({
      run,
      stepId: vote.step.id,
      worker,
      key: `execute/agent:${agentId}/step:${vote.step.id}/attempt:${run.attempt}/debate:${round}.${index + 1}`,
      messages,
      tools: [],
      stream: false,
      tally,
      onText: () => undefined,
      onEvidence: () => undefined,
    })
    const to = site.plan.agents.map((agent) => agent.agentId).filter((id) => id !== agentId)
    const message = { from: agentId, to, role: step.role, content: clip(text, 500), trust: 'trusted' }
    run.emit('agent.message', message, { agentId, stepId: vote.step.id })
    return text
  } catch (thrown) {
    const { code, name } = toSvcError(thrown)
    if (run.signal.aborted || code === 'cancelled' || name === 'PluginError') throw thrown
    return own
  }
}
