const PRICES = { apple: 0.4, bread: 2.8, milk: 1.2 }

/** The price of one item. */
export function priceOf(item) {
  if (!(item in PRICES)) throw new Error(`no price for ${item}`)
  return PRICES[item]
}
