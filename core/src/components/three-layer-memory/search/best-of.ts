/**
 * The best of many, best first, without sorting what is not wanted: one pass with a heap of `most` places.
 *
 * @param compare below 0 where the first is better
 */
export function bestOf<T>(items: readonly T[], most: number, compare: (a: T, b: T) => number): T[] {
  const heap = items.slice(0, most)
  const sink = (from: number): void => {
    for (let place = from; ; ) {
      const left = 2 * place + 1
      let worst = place
      if (left < heap.length && compare(heap[left] as T, heap[worst] as T) > 0) worst = left
      if (left + 1 < heap.length && compare(heap[left + 1] as T, heap[worst] as T) > 0) worst = left + 1
      if (worst === place) return
      const kept = heap[place] as T
      heap[place] = heap[worst] as T
      heap[worst] = kept
      place = worst
    }
  }
  if (items.length > most && most > 0) {
    for (let place = most >> 1; place >= 0; place--) sink(place)
    for (let index = most; index < items.length; index++) {
      const item = items[index] as T
      if (compare(item, heap[0] as T) >= 0) continue
      heap[0] = item
      sink(0)
    }
  }
  return heap.sort(compare)
}
