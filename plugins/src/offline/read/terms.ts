import { toStem, toWords } from '@svc/core/text'
import { unique } from '../question/question.ts'

/** The words of names, paths and prose as stems: `parseHAR.js` says `pars`, `har` and `js`. */
export const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(
    toWords(
      text
        .replace(/([a-z\d])([A-Z])/g, '$1 $2')
        .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
        .replaceAll('_', ' '),
    ).map(toStem),
  )

/** A word that is asked about. */
export interface Term {
  /** As the question writes it. */
  readonly typed: string
  /** What a search looks for, so that other forms are found too: `suggestions` → `suggestion`. */
  readonly sought: string
  readonly stem: string
}

export const toTerms = (words: readonly string[]): Term[] =>
  unique(words).map((typed) => ({ typed, sought: trimEnding(typed), stem: toStem(typed.toLowerCase()) }))

function trimEnding(word: string): string {
  const trimmed = word.replace(/(?:ies|ing|ed|es|s|e)$/i, '')
  return /^[a-z]+$/i.test(word) && trimmed.length >= 4 ? trimmed : word
}

/** Whether a text says a word: by its stem, or by what the search looked for. */
export const says = (stems: ReadonlySet<string>, { typed, stem, sought }: Term): boolean =>
  stems.has(stem) ||
  (/\s/.test(typed) && [...stemsOf(typed)].every((part) => stems.has(part))) || (sought.length >= 5 && [...stems].some((other) => other.startsWith(sought.toLowerCase())))
