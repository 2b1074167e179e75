import type { Price } from '../../contracts/model.ts'
import type { Usage } from '../../contracts/usage.ts'

/** Whether a price can be calculated with; plugins without types may write anything. */
export const isPrice = (price: Price | undefined): price is Price =>
  price !== undefined &&
  [price.input, price.output, price.cacheRead ?? 0].every((usd) => Number.isFinite(usd) && usd >= 0)

/** US dollars of a usage; null without a price. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (!isPrice(price)) return null
  const cached = usage.cachedTokens ?? 0
  const fresh = Math.max(0, usage.inputTokens - cached)
  return (fresh * price.input + cached * (price.cacheRead ?? price.input) + usage.outputTokens * price.output) / 1e6
}

/** An amount as people read it: cents from ten cents on, else two digits that count. */
export const toDollars = (usd: number): string =>
  `$${usd >= 0.1 || usd <= 0 ? Math.max(0, usd).toFixed(2) : Number(usd.toPrecision(2)).toString()}`
