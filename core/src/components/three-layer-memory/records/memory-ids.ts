import { ulid } from '../../../support/ids.ts'

/** Makes `mem_` and a ULID; ids of one source and one millisecond keep the order in which they were made. */
export function createMemoryIds(): (timeMs: number) => string {
  let last = Number.NaN
  let tail = new Uint8Array()
  return (timeMs) => {
    if (timeMs === last) increase(tail)
    else tail = crypto.getRandomValues(new Uint8Array(16)).map((byte) => byte % 32)
    last = timeMs
    return `mem_${ulid(timeMs, tail)}`
  }
}

function increase(digits: Uint8Array): void {
  for (let index = digits.length - 1; index >= 0; index--) {
    const next = ((digits[index] ?? 0) + 1) % 32
    digits[index] = next
    if (next !== 0) return
  }
}
