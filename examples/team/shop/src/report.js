import { total } from './till.js'

/** A line for the end of the day. */
export function report(baskets) {
  return `${baskets.length} baskets, ${baskets.map((basket) => total(basket)).join(' + ')}`
}
