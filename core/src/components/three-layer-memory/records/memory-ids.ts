const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Makes `mem_` and a ULID; ids of one source and one millisecond keep the order in which they were made. */
export function createMemoryIds(): (timeMs: number) => string {
  let last = Number.NaN
  let tail: number[] = []
  return (timeMs) => {
    if (timeMs === last) increase(tail)
    else tail = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte % 32)
    last = timeMs
    let time = ''
    for (let rest = Math.floor(timeMs), digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32)) {
      time = ALPHABET.charAt(rest % 32) + time
    }
    return `mem_${time}${tail.map((value) => ALPHABET.charAt(value)).join('')}`
  }
}

function increase(digits: number[]): void {
  for (let index = digits.length - 1; index >= 0; index--) {
    const next = ((digits[index] ?? 0) + 1) % 32
    digits[index] = next
    if (next !== 0) return
  }
}
