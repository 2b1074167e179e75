/** The item of most worth, of equal ones the first; an item without worth is none to choose. */
export function maxBy<Item>(items: Iterable<Item>, worthOf: (item: Item) => number | undefined): Item | undefined {
  let best: Item | undefined
  let ofBest = Number.NEGATIVE_INFINITY
  for (const item of items) {
    const worth = worthOf(item)
    if (worth === undefined || worth <= ofBest) continue
    best = item
    ofBest = worth
  }
  return best
}
