/**
 * How well words fit a text, each by its letters in order: 0 not at all; the higher the better. Letters at the beginning of a
 * word and letters that follow one another count more.
 */
export function fitOf(query: string, text: string): number {
  const lower = text.toLowerCase()
  let sum = 1
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word === '') continue
    const fit = fitOfWord(word, lower)
    if (fit === 0) return 0
    sum += fit
  }
  return sum
}

function fitOfWord(word: string, text: string): number {
  const whole = text.indexOf(word)
  if (whole !== -1) return 100 * word.length + (isStart(text, whole) ? 50 : 0) - Math.min(whole, 40)
  let at = -1
  let fit = 0
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1)
    if (next === -1) return 0
    fit += next === at + 1 ? 3 : isStart(text, next) ? 2 : 0
    at = next
  }
  // Letters that stand anywhere fit almost any long text.
  return fit >= word.length ? fit : 0
}

const isStart = (text: string, at: number): boolean => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '')
