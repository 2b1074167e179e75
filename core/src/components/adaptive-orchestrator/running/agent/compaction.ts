import type { Message, Usage } from '../../../../contracts/index.ts'
import { toSvcError } from '../../../../errors.ts'
import { compactMessages, estimateMessageTokens } from '../../../../text/index.ts'
import type { Worker } from '../../workers.ts'
import type { ExecutionContext } from '../state/execution-context.ts'
import type { StepState } from '../state/step-state.ts'
import { askForSummary, cutForSummary, type SummaryCut, withSummary } from './summary.ts'

/** The window that is assumed of a model of which nothing is known; one with a smaller one answers `context_overflow`. */
const WINDOW_TOKENS = 128_000
/** Shares of the window: from the first on old tool outputs are masked; what is then still above the second is summed up. */
const MASK_FROM = 0.7
const SUMMARISE_ABOVE = 0.6
const TURNS_BETWEEN = 10

/**
 * Keeps the conversation of one try within its model's window: masks old tool outputs, and only where that is not enough
 * asks the model once, at most every ten turns, to sum up the first half of the turns. Masking alone does as well as
 * summaries at half their cost, and both together better than either (Lindenbauer et al., 2025, arXiv 2508.21433); what
 * is kept follows the condenser of OpenHands.
 */
export class Compaction {
  readonly #context: ExecutionContext
  readonly #state: StepState
  readonly #worker: Worker
  /** Starts the key of every call; unique in the run. */
  readonly #key: string
  readonly #windowTokens: number
  readonly #canSummarise: boolean
  #turns: number
  #count = 0
  #lastTurn = Number.NEGATIVE_INFINITY
  /** Tokens of the last call, and how many messages it was asked with. */
  #used = 0
  #asked = 0
  #isTight = false
  /** Messages that no summary stands in for. */
  readonly #kept = new Set<Message>()

  /** @param turns messages of earlier runs before the objective */
  constructor(context: ExecutionContext, state: StepState, worker: Worker, key: string, turns: number) {
    const { run } = context
    // What the run knows is of its default model; of an agent's own nothing is known here.
    const isDefault = context.modelOf(worker) === run.defaultModel
    this.#context = context
    this.#state = state
    this.#worker = worker
    this.#key = key
    this.#turns = turns
    this.#windowTokens = (isDefault && run.contextTokens) || WINDOW_TOKENS
    this.#canSummarise = !(isDefault && run.deterministic)
  }

  /** A message that stays as it is: a summary of what a person said would be material, and no instruction any more. */
  keep(message: Message): Message {
    this.#kept.add(message)
    return message
  }

  /** Takes over what a call took: better known than by estimate. */
  observe(messages: readonly Message[], { inputTokens, outputTokens }: Usage): void {
    this.#used = inputTokens + outputTokens
    this.#asked = messages.length
  }

  /** The messages of the next call, old tool outputs masked where the window gets tight. */
  mask(messages: Message[]): Message[] {
    if (this.#asked === 0) return messages // nothing to mask before the first answer
    const window = this.#windowTokens
    const used = this.#used === 0 ? undefined : this.#used + this.#addedTokens(messages)
    const masked = compactMessages(messages, { window, from: MASK_FROM, ...(used === undefined ? {} : { used }) })
    this.#isTight = masked.before >= MASK_FROM * window && masked.after > SUMMARISE_ABOVE * window
    return masked.messages
  }

  /** Whether masking was not enough, and the last summary was made long enough ago. */
  wantsSummary(turn: number): boolean {
    return this.#isTight && this.#canSummarise && turn - this.#lastTurn >= TURNS_BETWEEN
  }

  /**
   * The conversation with a summary in the place of its first half.
   *
   * @throws CancelledError, PluginError; any other failure of the summary becomes the warning `compaction_failed`
   */
  async summarise(messages: Message[], turn: number): Promise<Message[]> {
    const cut = cutForSummary(messages, this.#turns)
    if (cut === undefined) return messages
    this.#lastTurn = turn
    const summary = await this.#ask(cut)
    const kept = cut.middle.filter((message) => this.#kept.has(message))
    return summary === undefined ? messages : withSummary(cut, summary, kept)
  }

  /**
   * The conversation after a model refused it as too long: with all but the newest outputs masked, else without the older half
   * of the turns of earlier runs, a task with its answer each.
   */
  shorten(messages: Message[]): Message[] | undefined {
    this.#used = 0
    const shorter = compactMessages(messages, { window: 0, keep: 2 })
    if (shorter.masked > 0) return shorter.messages
    if (this.#turns === 0) return undefined
    const left = 2 * Math.ceil(this.#turns / 4)
    const first = messages.findIndex(({ role }) => role !== 'system')
    const tokens = messages.slice(first, first + left).reduce((sum, message) => sum + estimateMessageTokens(message), 0)
    this.#turns -= left
    const message = `left out of the conversation of ${this.#worker.name}, whose model takes no more: the oldest ${left / 2} turns, ${tokens} tokens; sent: ${this.#turns / 2}`
    this.#context.run.warn({ code: 'turns_left_out', message })
    return messages.toSpliced(first, left)
  }

  /** What came to the conversation after the model's last answer, which its own usage counts. */
  #addedTokens(messages: readonly Message[]): number {
    let tokens = 0
    for (let index = this.#asked; index < messages.length; index++) {
      const message = messages[index]
      if (message !== undefined && message.role !== 'assistant') tokens += estimateMessageTokens(message)
    }
    return tokens
  }

  async #ask(cut: SummaryCut): Promise<string | undefined> {
    const { run } = this.#context
    const { agentId, model } = this.#worker
    const stepId = this.#state.step.id
    let why = 'the model answered nothing'
    // What the small model cannot do, the agent's own does.
    for (const asked of new Set([run.smallModel || model, model])) {
      try {
        const answer = await run.model({
          key: `${this.#key}/compact:${++this.#count}`,
          agentId,
          stepId,
          model: asked,
          messages: askForSummary(cut, this.#windowTokens),
          maxOutputTokens: cut.maxOutputTokens,
          stream: false,
        })
        this.#context.noteAnswer(this.#state, this.#worker, answer, asked === model)
        if (answer.finishReason === 'contentFilter') why = 'the provider withheld the answer'
        else if (answer.text.trim() !== '') return answer.text
      } catch (thrown) {
        const error = toSvcError(thrown)
        if (run.signal.aborted || error.code === 'cancelled' || error.name === 'PluginError') throw thrown
        why = `${error.code}: ${error.message}`
      }
    }
    run.warn({ code: 'compaction_failed', message: `the earlier turns of ${stepId} could not be summed up: ${why}` })
    return undefined
  }
}
