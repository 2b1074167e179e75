import type { Usage } from '../../contracts/model/usage.ts'

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function isPart(part: unknown, whole: number): part is number {
  return isCount(part) && part <= whole
}

/**
 * What a provider reported, where it can be believed: whole numbers, never less than nothing, no part larger than its
 * whole, and never nothing for something.
 *
 * @param reported whatever the provider calls its usage
 * @param estimate svc's own count
 * @param isSilent true where the answer holds no text, so that no output is believable
 */
export function usableUsage(reported: Usage | undefined, estimate: () => Usage, isSilent: boolean): Usage {
  const { inputTokens, outputTokens, estimated, ...parts }: Partial<Usage> = reported ?? {}
  const { cachedTokens, cacheWriteTokens, reasoningTokens } = parts
  if (!isCount(inputTokens) || !isCount(outputTokens)) return estimate()
  if (inputTokens === 0 || (outputTokens === 0 && !isSilent)) {
    const own = estimate()
    return {
      inputTokens: Math.max(inputTokens, own.inputTokens),
      outputTokens: Math.max(outputTokens, own.outputTokens),
      estimated: true,
    }
  }
  const usage: Usage = { inputTokens, outputTokens, estimated: estimated === true }
  if (isPart(cachedTokens, inputTokens)) usage.cachedTokens = cachedTokens
  if (isPart(cacheWriteTokens, inputTokens - (usage.cachedTokens ?? 0))) usage.cacheWriteTokens = cacheWriteTokens
  if (isPart(reasoningTokens, outputTokens)) usage.reasoningTokens = reasoningTokens
  return usage
}
