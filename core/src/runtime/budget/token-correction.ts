import type { Usage } from '../../contracts/model/usage.ts'

/** How much one answer changes what was learnt before. */
const NEWEST = 0.1
const LEAST = 0.5
const MOST = 2

/**
 * By how much a model counts more, or fewer, input tokens than svc estimates: a moving mean of reported over estimated,
 * between a half and two. It is learnt from recorded usage alone and begins at 1 in every run, so a replay learns the same.
 */
export class TokenCorrection {
  readonly #factors = new Map<string, number>()

  /** @param model as `provider/model` */
  factorOf(model: string): number {
    return this.#factors.get(model) ?? 1
  }

  /** Learns from one answer. What was not counted by the provider teaches nothing. */
  observe(model: string, estimatedInputTokens: number, { inputTokens, estimated }: Usage): void {
    if (estimated || inputTokens <= 0 || estimatedInputTokens <= 0) return
    const ratio = Math.min(MOST, Math.max(LEAST, inputTokens / estimatedInputTokens))
    this.#factors.set(model, (1 - NEWEST) * this.factorOf(model) + NEWEST * ratio)
  }
}
