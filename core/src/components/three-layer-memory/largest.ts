/**
 * Positions of the largest positive values, largest first; equal values in order of position.
 *
 * A heap of `limit` places: one pass over the values, no sorting of what is not wanted.
 */
export function largest(values: ArrayLike<number>, limit: number): number[] {
  const heap: number[] = []
  const worse = (a: number, b: number) => {
    const difference = (values[a] ?? 0) - (values[b] ?? 0)
    return difference < 0 || (difference === 0 && a > b)
  }
  const swap = (a: number, b: number) => {
    const kept = heap[a] ?? 0
    heap[a] = heap[b] ?? 0
    heap[b] = kept
  }
  const at = (place: number) => heap[place] ?? 0
  const sink = (from: number) => {
    for (let place = from; ; ) {
      const left = 2 * place + 1
      let lowest = place
      if (left < heap.length && worse(at(left), at(lowest))) lowest = left
      if (left + 1 < heap.length && worse(at(left + 1), at(lowest))) lowest = left + 1
      if (lowest === place) return
      swap(place, lowest)
      place = lowest
    }
  }
  for (let index = 0; index < values.length; index++) {
    if ((values[index] ?? 0) <= 0) continue
    if (heap.length < limit) {
      heap.push(index)
      for (let place = heap.length - 1; place > 0; ) {
        const parent = (place - 1) >> 1
        if (!worse(at(place), at(parent))) break
        swap(place, parent)
        place = parent
      }
    } else if (limit > 0 && worse(at(0), index)) {
      heap[0] = index
      sink(0)
    }
  }
  return heap.sort((a, b) => (worse(a, b) ? 1 : -1))
}
