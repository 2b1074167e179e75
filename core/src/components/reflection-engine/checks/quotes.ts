import { type Check, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'
import { countWords, normalise } from '../shape.ts'

const CURLED = [/“([^”\n]{8,600})”/g, /«([^»\n]{8,600})»/g]
/** Between these signs stands code, whose own quotation marks cannot be told from the answer's. */
const CODE = /[{}[\]=;<>\\]|^[,:]|":/
const MIN_WORDS = 3
const OWN_WORDS =
  /\b(?:write|draft|compose|invent|suggest|propose|slogan|title|poem|story|email|letter|rephrase|rewrite|translate|paraphrase)\b/i

/** Every quotation of three words and more stands in the task or in what a tool returned, word for word. */
export const quotes: Check = {
  id: 'quotes',
  critical: true,
  trust: 0.9,
  lesson: {
    trigger: 'an answer that quotes its sources',
    cause: '3.3',
    advice: 'Quote only words that were read, exactly as they stand.',
  },
  look({ grounded, sawOther, prose, sourceWords, task }) {
    if (!grounded || sawOther || OWN_WORDS.test(task.description)) return NOT_APPLICABLE
    const quoted = toQuotations(prose)
    const parts = quoted
      .flatMap((text) => text.split(/\[?(?:…|\.{3})\]?|\[[^\]]{0,40}\]/))
      .filter((part) => countWords(part) >= MIN_WORDS)
    if (parts.length === 0) return NOT_APPLICABLE
    const foreign = parts.filter((part) => !sourceWords.includes(normalise(part)))
    if (foreign.length === 0) return pass()
    return fail(
      `quoted, but in no source: ${quoteList(foreign)}`,
      'Quote word for word from what the tools returned, or say it without quotation marks.',
    )
  },
}

function toQuotations(text: string): string[] {
  const curled = CURLED.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
  const straight = text.split('\n').flatMap((line) => {
    const pieces = line.split('"')
    // An odd number of straight marks does not say which of them open.
    return pieces.length % 2 === 0 ? [] : pieces.filter((_, index) => index % 2 === 1)
  })
  return [...curled, ...straight].filter((piece) => piece.length >= 8 && piece.length <= 600 && !CODE.test(piece))
}
