import { priceOf } from './prices.js'

/** Sums the prices of a basket and takes the discount off. */
export function total(basket, discount = 0) {
  const sum = basket.reduce((before, item) => before + priceOf(item), 0)
  return sum * (1 - discount)
}

// TODO round to whole cents
