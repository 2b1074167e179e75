import {
  type ErrorInfo,
  type JsonSchema,
  type Message,
  type ModelAnswer,
  type RunContext,
  type ToolCall,
  type ToolInfo,
  textMessage,
  toText,
} from '../../contracts/index.ts'
import { LimitError, ProviderError, toSvcError } from '../../errors.ts'
import { readJson } from './answer-json.ts'
import { callTools } from './call-tools.ts'
import { Compaction } from './compaction.ts'
import type { Handoff } from './handoff.ts'
import type { Tally } from './tally.ts'
import type { Worker } from './workers.ts'

/** Model calls in one try of a step, where its profile does not say. */
export const DEFAULT_TURNS = 24
const MAX_CONTINUATIONS = 2

/** One try of one step by one agent on one model. */
export interface StepTry {
  run: RunContext
  stepId: string
  worker: Worker
  /** Starts the key of every call; unique in the run. */
  key: string
  /** System and user message. */
  messages: readonly Message[]
  tools: readonly ToolInfo[]
  /** What the step was handed: a tool reads on in what was cut. */
  handoff?: Handoff | undefined
  /** Hears how every tool call went. */
  onTried?: ((tool: string, error: ErrorInfo | undefined) => void) | undefined
  /** Hears of every tool call that wrote something. */
  onWritten?: ((call: ToolCall) => void) | undefined
  /** Whether somebody reads along. */
  stream: boolean
  outputSchema?: JsonSchema | undefined
  /** What the agent should take at most, input and output together. */
  softTokens?: number | undefined
  tally: Tally
  /** How many model calls the whole execution may still take; none left: answer now. Default: no limit. */
  turnsLeft?: (() => number) | undefined
  /** Hears every text on the way to the answer. */
  onText: (text: string) => void
  /** Hears what tools answered. */
  onEvidence: (text: string) => void
}

export interface StepAnswer {
  text: string
  data?: unknown
}

/**
 * The loop of an agent: asks the model, makes the tool calls that it wants, hands back their results, until it answers.
 *
 * @throws LimitError `max_steps` when its turns are used up, `output_schema_mismatch` after one repair; what the door throws
 * @throws ProviderError `provider_bad_response` for a second empty answer, `content_filtered`
 */
export async function runStep(attempt: StepTry): Promise<StepAnswer> {
  const { run, worker, stepId, tools, outputSchema } = attempt
  let messages = [...attempt.messages]
  const maxTurns = worker.profile?.budget.maxSteps ?? DEFAULT_TURNS
  let text = ''
  let reasked = false
  let repaired = false
  let continuations = 0
  let saidShare = 0
  let state: unknown
  const compaction = new Compaction(attempt)
  const isLast = (turn: number): boolean => turn > 1 && (turn === maxTurns || mustAnswer(attempt))
  for (let turn = 1; turn <= maxTurns; turn++) {
    messages = await compaction.fit(messages, turn, !isLast(turn))
    let answer: ModelAnswer
    try {
      answer = await ask(attempt, messages, turn, isLast(turn), state)
    } catch (thrown) {
      const shorter = toSvcError(thrown).code === 'context_overflow' ? compaction.shorten(messages) : undefined
      if (shorter === undefined) throw thrown
      messages = shorter
      continue
    }
    state = answer.state
    compaction.observe(messages, answer.usage.inputTokens + answer.usage.outputTokens)
    attempt.tally.add(stepId, worker.agentId, answer)
    if (answer.text !== '') attempt.onText(text + answer.text)

    if (answer.toolCalls.length > 0 && answer.finishReason !== 'contentFilter') {
      if (turn === maxTurns) break
      messages.push(toAssistant(answer))
      const results = await callTools(answer.toolCalls, {
        run,
        agentId: worker.agentId,
        stepId,
        tools,
        handoff: attempt.handoff,
        onWritten: attempt.onWritten,
        onTried: attempt.onTried,
        keyOf: (index) => `${attempt.key}/tool:${turn}.${index + 1}`,
      })
      messages.push(...results)
      for (const result of results) attempt.onEvidence(toText(result.content))
      const share = softShare(attempt)
      const line = budgetLine(attempt, share, saidShare)
      if (line !== undefined) {
        messages.push(textMessage('user', line))
        saidShare = share
      }
      continue
    }

    if (answer.finishReason === 'contentFilter') {
      throw new ProviderError('content_filtered', `${worker.name}: the provider withheld the answer`, {
        provider: answer.provider,
      })
    }
    if (answer.text.trim() === '' && answer.data === undefined && text === '') {
      if (reasked) {
        throw new ProviderError('provider_bad_response', `${worker.name}: the model answered nothing, twice`, {
          provider: answer.provider,
        })
      }
      reasked = true
      messages.push(textMessage('user', 'Your answer was empty. Answer now, in words.'))
      continue
    }

    text += answer.text
    if (answer.finishReason === 'length' && answer.data === undefined) {
      const bounded = worker.profile?.maxOutputTokens !== undefined
      if (!bounded && continuations < MAX_CONTINUATIONS && answer.text !== '' && turn < maxTurns) {
        continuations++
        messages.push(toAssistant(answer), textMessage('user', 'Continue exactly where you stopped.'))
        continue
      }
      run.warn({ code: 'output_truncated', message: `the answer of ${stepId} was cut off at the output limit` })
    }
    if (outputSchema === undefined) return { text }

    const json = readJson(outputSchema, answer, text)
    if (json.errors.length === 0) return { text: text === '' ? JSON.stringify(json.value) : text, data: json.value }
    const wrong = json.errors.map(({ path, message }) => `${path || '/'} ${message}`).join('; ')
    if (repaired || turn === maxTurns) {
      throw new LimitError('output_schema_mismatch', `the answer does not fit outputSchema: ${wrong}`)
    }
    repaired = true
    messages.push(
      toAssistant(answer),
      textMessage(
        'user',
        `The answer does not fit the schema: ${wrong}. Give the whole answer again as JSON that fits.`,
      ),
    )
    text = ''
  }
  throw new LimitError('max_steps', `${stepId} had no answer after ${maxTurns} model calls`, {
    details: { scope: 'step' },
  })
}

function ask(
  attempt: StepTry,
  messages: readonly Message[],
  turn: number,
  last: boolean,
  state: unknown,
): Promise<ModelAnswer> {
  const { run, worker, tools, outputSchema } = attempt
  const { temperature, maxOutputTokens } = worker.profile ?? {}
  const reader = attempt.handoff?.tool
  const specs = [
    ...tools.map(({ id, description, parameters }) => ({ id, description, parameters })),
    ...(reader === undefined ? [] : [reader]),
  ]
  return run.model({
    key: `${attempt.key}/model:${turn}`,
    agentId: worker.agentId,
    stepId: attempt.stepId,
    model: worker.model,
    messages: [...messages],
    stream: attempt.stream,
    ...(specs.length === 0 ? {} : { tools: specs }),
    // The tools stay listed, so that earlier calls stay valid and the provider's cache holds; but the turns end here.
    ...(last && specs.length > 0 ? { toolChoice: 'none' as const } : {}),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(state === undefined ? {} : { state }),
  })
}

const toAssistant = ({ text, toolCalls, state }: ModelAnswer): Message => ({
  role: 'assistant',
  content: text === '' ? [] : [{ type: 'text', text }],
  ...(toolCalls.length === 0 ? {} : { toolCalls }),
  ...(state === undefined ? {} : { state }),
})

/** Its share is used and nothing more would be lent to it, or the run's turns are: the next call is its last, and answers. */
const mustAnswer = ({ run, worker, softTokens, turnsLeft }: StepTry): boolean =>
  (turnsLeft?.() ?? 1) <= 0 || (softTokens !== undefined && run.budget.available?.(worker.agentId) === 0)

/** How much of the agent's share is used, in [0, …). */
function softShare({ softTokens, tally, worker }: StepTry): number {
  return softTokens === undefined || softTokens === 0 ? 0 : tally.tokensOf(worker.agentId) / softTokens
}

/** Agents spend well only what they can see (BATS, 2025): said once from 70 % of the share, once more from 90 %. */
function budgetLine({ softTokens = 0, tally, worker }: StepTry, share: number, said: number): string | undefined {
  const threshold = share >= 0.9 ? 0.9 : share >= 0.7 ? 0.7 : 0
  if (threshold === 0 || said >= threshold) return undefined
  const used = `${tally.tokensOf(worker.agentId)} of ${softTokens} tokens are used.`
  return threshold === 0.9
    ? `${used} Wrap up: answer now from what you have.`
    : `${used} Look up only what the answer still needs.`
}
