import {
  clientToolName,
  type FolderNote,
  type JsonSchema,
  type Message,
  type ModelAnswer,
  type RunContext,
  type RunMessage,
  type RunOptions,
  textMessage,
} from '../../../../contracts/index.ts'
import { LimitError, ProviderError, toSvcError } from '../../../../errors.ts'
import { toFullText } from '../../../../text/index.ts'
import { isOutage } from '../../alternatives.ts'
import { followNotes, quoteNotes } from '../../folder-notes.ts'
import type { Worker } from '../../workers.ts'
import type { ExecutionContext } from '../state/execution-context.ts'
import type { StepState } from '../state/step-state.ts'
import { AnswerDraft, type StepAnswer } from './answer-draft.ts'
import { callTools, cutError, findCutCall } from './call-tools.ts'
import { Compaction } from './compaction.ts'
import { newsOf } from './delegate.ts'
import { EarlierEffects } from './earlier-effects.ts'
import type { StepInput } from './step-input.ts'
import { systemMessage } from './step-messages.ts'

/** Model calls in one try of a step, where its profile does not say. */
const DEFAULT_TURNS = 24
/** Characters of one tool result, and how many results, that are kept for an answer made when the budget has ended. */
const MAX_EVIDENCE_CHARACTERS = 4_000
const MAX_EVIDENCE = 8

/**
 * One try of a step by its agent: asks the model, makes the tool calls that it wants, hands back their results, until it
 * answers.
 *
 * @throws LimitError `max_steps` when its turns are used up; what the gateways throw; what `AnswerDraft.add` throws
 * @throws ProviderError `content_filtered`; ToolError `tool_bad_args` for a call cut at the output limit twice in a row
 */
export async function runAgent(
  context: ExecutionContext,
  state: StepState,
  input: StepInput,
  user: Message,
): Promise<StepAnswer> {
  const { run } = context
  const { step } = state
  const worker = context.workerOf(state.agentId)
  const { profile } = worker
  let maxTurns = profile?.budget.maxSteps ?? DEFAULT_TURNS
  const isBounded = (profile?.maxOutputTokens ?? run.options.maxOutputTokens) !== undefined
  const key = `execute/agent:${worker.agentId}/step:${step.id}/attempt:${run.attempt}/try:${++state.tries}`
  const draft = new AnswerDraft({ agentName: worker.name, outputSchema: schemaOf(input, worker), isBounded })
  const compaction = new Compaction(context, state, worker, key, input.turns.length)
  const earlier = new EarlierEffects(run.view, step.id)
  const done = earlier.quote()
  const asked =
    done === '' ? user : { ...user, content: [...user.content, { type: 'text' as const, text: `\n${done}` }] }
  const system = systemMessage(worker, step, {
    plan: context.plan,
    notes: run.notes,
    instructions: run.options.instructions,
    isReadOnly: run.options.readOnly === true,
    helpers: input.helpers,
  })
  let messages: Message[] = [system, ...input.turns, asked]
  const told = new Set<string>()
  let opaque: unknown
  let shareSaid = 0
  let wasCut = false
  let turn = 0
  const heard: RunMessage[] = []
  const hear = async (call: string, when: 'before' | 'after'): Promise<Message[]> => {
    const { agentId } = worker
    const said = await run.hear({ key: `${call}/heard:${when}`, call, heard, agentId, stepId: step.id })
    heard.push(...said)
    return said.map(({ text }) => compaction.keep(textMessage('user', `The user says, while you work:\n\n${text}`)))
  }

  while (turn < maxTurns) {
    turn++
    const isLast = turn === maxTurns
    const mustAnswer = turn > 1 && (isLast || hasNothingLeft(context, worker))
    const news = await newsOf(context, state, `${key}/told:${turn}`, mustAnswer)
    if (news !== undefined) messages = [...messages, textMessage('user', news)]
    messages = compaction.mask(messages)
    if (!mustAnswer && compaction.wantsSummary(turn)) messages = await compaction.summarise(messages, turn)
    // Right before the call: what is asked of a model until then must not depend on what is said meanwhile.
    messages = [...messages, ...(await hear(`${key}/model:${turn}`, 'before'))]

    let answer: ModelAnswer
    try {
      const request = toRequest(`${key}/model:${turn}`, state, worker, input, messages, run.options)
      // The tools stay listed, so that earlier calls stay valid and the provider's cache holds; but the turns end here.
      if (mustAnswer && request.tools !== undefined) request.toolChoice = 'none'
      if (opaque !== undefined) request.state = opaque
      answer = await run.model(request)
    } catch (thrown) {
      const error = toSvcError(thrown)
      if (isOutage(error)) context.models.noteOutage(context.modelOf(worker), error.toInfo())
      const shorter = error.code === 'context_overflow' ? compaction.shorten(messages) : undefined
      if (shorter === undefined) throw thrown
      messages = shorter
      continue
    }
    context.noteAnswer(state, worker, answer)
    compaction.observe(messages, answer.usage)
    opaque = answer.state
    const text = draft.text + answer.text
    if (text.length > state.best.length) state.best = text

    if (answer.finishReason === 'contentFilter') {
      throw new ProviderError('content_filtered', `${worker.name}: the provider withheld the answer`, {
        provider: answer.provider,
      })
    }
    if (answer.toolCalls.length > 0) {
      if (isLast) break
      const cut = findCutCall(answer)
      if (cut !== undefined && wasCut) throw cutError(cut, ', twice in a row')
      wasCut = cut !== undefined
      const results = await callTools(context, state, input, answer, `${key}/tool:${turn}`, earlier)
      keepEvidence(state, results)
      // A client that makes the calls goes on as long as it likes; the budget holds.
      if (profile?.budget.maxSteps === undefined && isOfClient(answer)) maxTurns++
      messages = [...messages, toAssistant(answer), ...results, ...(await findNotes(run, worker, answer, told))]
      const share = usedShare(context, worker)
      const notice = budgetNotice(context, worker, share, shareSaid)
      if (notice !== undefined) {
        messages.push(textMessage('user', notice))
        shareSaid = share
      }
      continue
    }
    if (state.untold.length > 0) {
      const rest = await newsOf(context, state, `${key}/told:${turn}/end`, true)
      messages = [...messages, toAssistant(answer), textMessage('user', `${rest}\n\nAnswer again with what was found.`)]
      continue
    }
    const more = isLast ? [] : await hear(`${key}/model:${turn}`, 'after')
    if (more.length > 0) {
      messages = [...messages, toAssistant(answer), ...more, textMessage('user', 'Answer again, as a whole.')]
      continue
    }
    const wasRepaired = draft.broken !== undefined
    const followUp = draft.add(answer, isLast)
    if (followUp === undefined) {
      if (draft.isCut) {
        run.warn({ code: 'output_truncated', message: `the answer of ${step.id} was cut off at the output limit` })
      }
      return draft.answer
    }
    if (!wasRepaired && draft.broken !== undefined) {
      const check = { id: 'schema', evidence: draft.broken }
      run.emit(
        'step.retrying',
        { tries: state.tries + 1, delayMs: 0, check },
        { stepId: step.id, agentId: worker.agentId },
      )
    }
    messages = answer.text === '' ? [...messages] : [...messages, toAssistant(answer)]
    messages.push(textMessage('user', followUp))
  }
  throw new LimitError('max_steps', `${step.id} had no answer after ${maxTurns} model calls`, {
    details: { scope: 'step' },
  })
}

type AgentRequest = Parameters<RunContext['model']>[0]

/** What a profile says of its own is said of one agent, and stands before what the run says of all. */
function toRequest(
  key: string,
  state: StepState,
  worker: Worker,
  input: StepInput,
  messages: Message[],
  { effort, ...options }: RunOptions,
): AgentRequest {
  const { agentId, model, profile } = worker
  const { specs } = input
  // The gateway asks for no pieces where nobody reads the run.
  const request: AgentRequest = { key, agentId, stepId: state.step.id, model, messages, stream: true }
  const outputSchema = schemaOf(input, worker)
  if (specs.length > 0) request.tools = specs
  if (outputSchema !== undefined) request.outputSchema = outputSchema
  const temperature = profile?.temperature ?? options.temperature
  const maxOutputTokens = profile?.maxOutputTokens ?? options.maxOutputTokens
  if (temperature !== undefined) request.temperature = temperature
  if (effort !== undefined) request.effort = effort
  if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens
  return request
}

/** Whether the client of the run makes each call that an answer asks for. */
const isOfClient = ({ toolCalls }: ModelAnswer): boolean =>
  toolCalls.every(({ tool }) => clientToolName(tool) !== undefined)

const schemaOf = ({ outputSchema }: StepInput, { profile }: Worker): JsonSchema | undefined =>
  outputSchema ?? profile?.outputSchema

function toAssistant({ text, toolCalls, state }: ModelAnswer): Message {
  const message: Message = { role: 'assistant', content: text === '' ? [] : [{ type: 'text', text }] }
  if (toolCalls.length > 0) message.toolCalls = toolCalls
  if (state !== undefined) message.state = state
  return message
}

/**
 * What the folders say that calls have led to, each once: in a message of its own, since what a tool returned is no
 * instruction.
 *
 * @param told is added to
 */
async function findNotes(
  run: RunContext,
  { agentId }: Worker,
  { toolCalls }: ModelAnswer,
  told: Set<string>,
): Promise<Message[]> {
  const found: FolderNote[] = []
  for (const { tool, args } of toolCalls)
    for (const note of await run.notesBeside({ tool, args, agentId })) {
      if (told.has(note.path)) continue
      told.add(note.path)
      found.push(note)
    }
  const texts = [followNotes(found, 'the folders of these files'), quoteNotes(found)].filter((text) => text !== '')
  return texts.length === 0 ? [] : [textMessage('user', texts.join('\n\n'))]
}

function keepEvidence({ evidence }: StepState, results: readonly Message[]): void {
  for (const { content } of results) {
    evidence.push(toFullText(content).slice(0, MAX_EVIDENCE_CHARACTERS))
    if (evidence.length > MAX_EVIDENCE) evidence.shift()
  }
}

/** Its share is used and nothing more would be lent to it, or the execution's calls are: the next call is its last. */
function hasNothingLeft(context: ExecutionContext, { agentId }: Worker): boolean {
  if (context.turnsLeft <= 0) return true
  return context.softTokensOf(agentId) !== undefined && context.run.budget.available(agentId) === 0
}

/** How much of the agent's share is used, in [0, …). */
function usedShare(context: ExecutionContext, { agentId }: Worker): number {
  const tokens = context.softTokensOf(agentId) ?? 0
  return tokens === 0 ? 0 : context.tally.tokensOf(agentId) / tokens
}

/** Agents spend well only what they can see (BATS, 2025): said once from 70 % of the share, once more from 90 %. */
function budgetNotice(context: ExecutionContext, { agentId }: Worker, share: number, said: number): string | undefined {
  const threshold = share >= 0.9 ? 0.9 : share >= 0.7 ? 0.7 : 0
  if (threshold === 0 || said >= threshold) return undefined
  const used = `${context.tally.tokensOf(agentId)} of ${context.softTokensOf(agentId)} tokens are used.`
  return threshold === 0.9
    ? `${used} Wrap up: answer now from what you have.`
    : `${used} Look up only what the answer still needs.`
}
