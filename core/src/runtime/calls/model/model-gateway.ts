import type { ModelAnswer, ModelRequest } from '../../../contracts/model/model.ts'
import { TokenCorrection } from '../../budget/token-correction.ts'
import { callSite } from '../call-context.ts'
import { type EmbedRequest, embed } from './embed.ts'
import { RequestEstimates } from './estimate-request.ts'
import type { Exit, Layer } from './layer.ts'
import { admission } from './layers/admission.ts'
import { breaker } from './layers/breaker.ts'
import { fallback } from './layers/fallback.ts'
import { hooks } from './layers/hooks.ts'
import { journal } from './layers/journal.ts'
import { ledger } from './layers/ledger.ts'
import { probeCalls } from './layers/probe-calls.ts'
import { provider } from './layers/provider.ts'
import { recording } from './layers/recording.ts'
import { retry } from './layers/retry.ts'
import { start } from './layers/start.ts'
import { ModelCall, modelCallId } from './model-call.ts'
import type { ModelContext } from './model-context.ts'
import { PromptLog } from './prompt-log.ts'

/** A request with whose it is, and under which key it is recorded. */
export type KeyedRequest = ModelRequest & { key: string; agentId: string; stepId?: string }

/** The only way to a model. */
export class ModelGateway {
  readonly #run: ModelContext
  readonly #counts = { estimates: new RequestEstimates(), correction: new TokenCorrection() }
  readonly #layers: readonly Layer[]

  constructor(run: ModelContext) {
    this.#run = run
    const prompts = new PromptLog(run)
    const { cassette } = run.env
    this.#layers = [
      hooks(run),
      journal(run, this.#counts.correction, prompts),
      fallback(run),
      ...(cassette === undefined ? [probeCalls(run)] : []),
      start(run, prompts),
      ...(cassette === undefined ? [] : [recording(run, cassette)]),
      retry(run),
      breaker(run),
      admission(run),
      ledger(run),
      provider(run),
    ]
  }

  /**
   * Sends a call through the layers, the outermost first, until one answers; then back out through those that it came through.
   *
   * @throws ProviderError after the retries; LimitError of the budget; what the run was stopped with
   */
  async call({ key, agentId, stepId, ...request }: KeyedRequest): Promise<ModelAnswer> {
    const site = callSite(agentId, modelCallId(this.#run.facts.id, key), stepId)
    const call = new ModelCall(this.#run, this.#counts, key, site, request)
    const exits: Exit[] = []
    for (;;) {
      try {
        let answer: ModelAnswer | undefined
        while (answer === undefined) {
          const exit: Exit = (await this.#layers[exits.length]?.(call)) ?? {}
          exits.push(exit)
          answer = exit.answer
        }
        for (let exit = exits.pop(); exit !== undefined; exit = exits.pop()) {
          if (exit.onAnswer !== undefined) await exit.onAnswer(answer)
          if (exit.change !== undefined) answer = await exit.change(answer)
        }
        return answer
      } catch (thrown) {
        await goOut(exits, thrown)
      }
    }
  }

  /** Vectors for texts, recorded and charged like any other call. */
  embed(request: EmbedRequest): Promise<number[][]> {
    return embed(this.#run, request)
  }
}

/**
 * Takes a failure out through the layers. Resolves at the first that goes in again; its exit stays the last.
 *
 * @throws what a layer threw, where none outside of it goes in again
 */
async function goOut(exits: Exit[], failed: unknown): Promise<void> {
  let thrown = failed
  for (let exit = exits.pop(); exit !== undefined; exit = exits.pop()) {
    try {
      await exit.onFailure?.(thrown)
      if ((await exit.again?.(thrown)) !== true) continue
      exits.push(exit)
      return
    } catch (other) {
      thrown = other
    }
  }
  throw thrown
}
