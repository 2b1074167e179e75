import type { Message, RunContext } from '../../contracts/index.ts'
import { toSvcError } from '../../errors.ts'
import { compactMessages, estimateMessageTokens } from '../../text/index.ts'
import { askForSummary, cutForSummary, type SummaryCut, withSummary } from './summary.ts'
import type { Tally } from './tally.ts'
import type { Worker } from './workers.ts'

/** The window that is assumed of a model of which nothing is known; one with less says so by `context_overflow`. */
const WINDOW_TOKENS = 128_000
/** Shares of the window: from the first on old tool outputs are masked; what is then still above the second is summed up. */
const MASK_FROM = 0.7
const SUMMARISE_ABOVE = 0.6
const TURNS_BETWEEN = 10

/** Whose conversation it is. */
interface Try {
  run: RunContext
  stepId: string
  worker: Worker
  /** Starts the key of every call; unique in the run. */
  key: string
  tally: Tally
}

/**
 * Keeps the conversation of one try within its model's window: masks old tool outputs, and only where that is not enough
 * asks the model once, at most every ten turns, to sum up the first half of the turns. Masking alone does as well as
 * summaries at half their cost, and both together better than either (Lindenbauer et al., 2025, arXiv 2508.21433); what
 * is kept follows the condenser of OpenHands.
 */
export class Compaction {
  readonly #attempt: Try
  readonly #windowTokens: number
  readonly #canSummarise: boolean
  #count = 0
  #lastTurn = Number.NEGATIVE_INFINITY
  /** Tokens of the last call, and how many messages it was asked with. */
  #used = 0
  #asked = 0

  constructor(attempt: Try) {
    const { run, worker } = attempt
    // What the run knows is of its default model; of an agent's own nothing is known here.
    const isDefault = worker.model === '' || worker.model === run.defaultModel
    this.#attempt = attempt
    this.#windowTokens = (isDefault && run.contextTokens) || WINDOW_TOKENS
    this.#canSummarise = !(isDefault && run.deterministic)
  }

  /** Takes over what a call took: better known than by estimate. */
  observe(messages: readonly Message[], usedTokens: number): void {
    this.#used = usedTokens
    this.#asked = messages.length
  }

  /**
   * The messages of the next call.
   *
   * @param summarise false where no call comes after it, which a summary would spare anything
   * @throws CancelledError, PluginError; any other failure of the summary becomes the warning `compaction_failed`
   */
  async fit(messages: Message[], turn: number, summarise: boolean): Promise<Message[]> {
    const window = this.#windowTokens
    const used = this.#used === 0 ? {} : { used: this.#used + this.#addedTokens(messages) }
    const masked = compactMessages(messages, { window, from: MASK_FROM, ...used })
    const isTight = masked.before >= MASK_FROM * window && masked.after > SUMMARISE_ABOVE * window
    const may = summarise && this.#canSummarise && turn - this.#lastTurn >= TURNS_BETWEEN
    if (!isTight || !may) return masked.messages
    const cut = cutForSummary(masked.messages)
    if (cut === undefined) return masked.messages
    this.#lastTurn = turn
    const summary = await this.#summarise(cut)
    return summary === undefined ? masked.messages : withSummary(cut, summary)
  }

  /** The conversation with all but the newest outputs masked, after a model refused it as too long. */
  shorten(messages: Message[]): Message[] | undefined {
    const shorter = compactMessages(messages, { window: 0, keep: 2 })
    if (shorter.masked === 0) return undefined
    this.#used = 0
    return shorter.messages
  }

  /** What came to the conversation after the model's last answer, which its own usage counts. */
  #addedTokens(messages: readonly Message[]): number {
    const added = messages.slice(this.#asked).filter(({ role }) => role !== 'assistant')
    return added.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
  }

  async #summarise(cut: SummaryCut): Promise<string | undefined> {
    const { run, worker, stepId, key, tally } = this.#attempt
    let why = 'the model answered nothing'
    try {
      const answer = await run.model({
        key: `${key}/compact:${++this.#count}`,
        agentId: worker.agentId,
        stepId,
        model: worker.model,
        messages: askForSummary(cut, this.#windowTokens),
        maxOutputTokens: cut.maxOutputTokens,
        stream: false,
      })
      tally.add(stepId, worker.agentId, answer)
      if (answer.finishReason === 'contentFilter') why = 'the provider withheld the answer'
      else if (answer.text.trim() !== '') return answer.text
    } catch (thrown) {
      const error = toSvcError(thrown)
      if (run.signal.aborted || error.code === 'cancelled' || error.name === 'PluginError') throw thrown
      why = `${error.code}: ${error.message}`
    }
    run.warn({ code: 'compaction_failed', message: `the earlier turns of ${stepId} could not be summed up: ${why}` })
    return undefined
  }
}
