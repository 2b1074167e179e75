import type { Price } from '../../contracts/model/model.ts'
import type { Usage } from '../../contracts/model/usage.ts'

/** Whether a price can be calculated with; plugins without types may write anything. */
export const isPrice = (price: Price | undefined): price is Price =>
  price !== undefined &&
  [price.input, price.output, price.cacheRead ?? 0, price.cacheWrite ?? 0].every(
    (usd) => Number.isFinite(usd) && usd >= 0,
  )

/** What a token that is sent costs at most: one that is written to a cache may cost more than another. */
export const dearestInput = ({ input, cacheWrite = input }: Price): number => Math.max(input, cacheWrite)

/** US dollars of a usage; null without a price. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (!isPrice(price)) return null
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
  return (fresh * input + cachedTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output) / 1e6
}

/** An amount as people read it: cents from ten cents on, else two digits that count. */
export const toDollars = (usd: number): string =>
  `$${usd >= 0.1 || usd <= 0 ? Math.max(0, usd).toFixed(2) : Number(usd.toPrecision(2)).toString()}`
