import { toStem, toWords } from '@svc/core/text'
import { unique } from '../question/question.ts'

/** The words of names, paths and prose as stems: `parseHAR.js` says `pars`, `har` and `js`, `crc32` also `crc`. */
export const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(
    toWords(
      `${text} ${text.match(/[A-Za-z]{2,}(?=\d)/g)?.join(' ') ?? ''}`
        .replace(/([a-z\d])([A-Z])/g, '$1 $2')
        .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
        .replaceAll('_', ' '),
    ).map(toStem),
  )

/** A word that is asked about. */
export interface Term {
  /** As the question writes it. */
  readonly typed: string
  /** What a search looks for, so that other forms are found too: `suggestions` → `suggest`. */
  readonly sought: string
  readonly stem: string
}

export const toTerms = (words: readonly string[]): Term[] =>
  unique(words).map((typed) => ({ typed, sought: beginningOf(typed), stem: toStem(typed.toLowerCase()) }))

/** What a word shares with its stem, where that is long enough to mean it alone. */
function beginningOf(word: string): string {
  const stem = toStem(word.toLowerCase())
  let length = 0
  while (length < stem.length && stem[length] === word[length]?.toLowerCase()) length++
  return /^[a-z]+$/i.test(word) && length >= 4 ? word.slice(0, length) : word
}

/** Whether a text says a word: by its stem, or by what the search looked for. */
export const says = (stems: ReadonlySet<string>, { typed, stem, sought }: Term): boolean =>
  stems.has(stem) ||
  (/[^\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(typed) && [...stemsOf(typed)].every((part) => stems.has(part))) ||
  (sought.length >= 4 &&
    [...stems].some((other) =>
      sought.length >= 5 ? other.includes(sought.toLowerCase()) : other.startsWith(sought.toLowerCase()),
    ))

/** A text as a pattern that matches it alone. */
export const asPattern = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
