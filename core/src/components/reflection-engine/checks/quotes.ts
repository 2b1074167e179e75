import { type Check, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'
import { countWords, normalise } from '../shape.ts'

const QUOTES = [/"([^"\n]{8,600})"/g, /“([^”\n]{8,600})”/g, /«([^»\n]{8,600})»/g]
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
  look({ grounded, prose, sourceWords, task }) {
    if (!grounded || OWN_WORDS.test(task.description)) return NOT_APPLICABLE
    const quoted = QUOTES.flatMap((pattern) => [...prose.matchAll(pattern)].map((match) => match[1] ?? ''))
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
