const LEAST_BITS = 128
/** Which signs a key is drawn from, as far as can be seen. */
const ALPHABETS: readonly (readonly [signs: RegExp, count: number])[] = [
  [/^\d+$/, 10],
  [/^([\da-f]+|[\dA-F]+)$/, 16],
  [/^([a-z]+|[A-Z]+)$/, 26],
  [/^([\da-z]+|[\dA-Z]+)$/, 36],
  [/^[\dA-Za-z]+$/, 62],
  [/^[\dA-Za-z_+/=-]+$/, 64],
]
const ALL_SIGNS = 94
/** A key drawn at random has more different signs than this. */
const FEWEST_SIGNS = 8

/** What is wrong with a key that can be guessed; undefined for one that cannot, as far as looking at it says. */
export function weaknessOf(key: string): string | undefined {
  const [, count] = ALPHABETS.find(([signs]) => signs.test(key)) ?? [undefined, ALL_SIGNS]
  const bits = Math.floor(key.length * Math.log2(count))
  const cure = `at least ${LEAST_BITS} bits are needed: openssl rand -hex 32 makes a good one`
  if (bits < LEAST_BITS) return `has at most ${bits} bits (${key.length} characters out of ${count}); ${cure}`
  if (new Set(key).size < FEWEST_SIGNS || /^(.{1,32})\1+$/.test(key)) return `repeats itself; ${cure}`
  return undefined
}
