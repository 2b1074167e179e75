/** Names in the words of any language. */
import { toPath } from '../calls/paths.ts'

const TOKEN = /"[^"]+"|`[^`]+`|[“”„«「『][^“”«»」』]+|[\w./:-]+/g
/** A file, an address or folder, a word of code; but neither "d.h." nor "and/or". */
const NAME = /^["`“”„«「『]|[\w-]\w\.[a-z]\w{0,5}$|\w\.[a-z]\w{1,5}$|:\/\/|\/$|^\.{0,2}\/|[a-z][A-Z]|\w_\w/

/** The files, folders, addresses, quotations and words of code that a text names. */
const namesOf = (text: string): string[] =>
  [...text.matchAll(TOKEN)]
    .map(([token]) => token.replace(/(?<![.:])[.:]{1,3}$/, ''))
    .filter((token) => NAME.test(token) || toPath(token) !== undefined)

export const isNamed = (text: string): boolean => namesOf(text).length > 0

/** Whether a text names a thing that none of the earlier ones does. */
export const hasNewName = (text: string, earlier: readonly string[]): boolean =>
  namesOf(text).some((name) => !earlier.some((other) => other.includes(name)))

/** Whether the last word of a text is the name of a thing. */
export const endsInName = (text: string): boolean => {
  const name = namesOf(text).at(-1)
  return name !== undefined && text.trimEnd().endsWith(name)
}

/** The word that a text begins with, in lower case. */
export const firstWord = (text: string): string => /^\W*([\p{L}\p{M}]+)/u.exec(text)?.[1]?.toLowerCase() ?? ''
