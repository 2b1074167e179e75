import { flagsOf, type Specs } from './command-spec.ts'
import { invalid } from './given-options.ts'
import { refuseExpanded } from './refuse-expanded.ts'

/** An option as a command line has it: the name that was written, and its text; of a switch whether it is on. */
export interface Given {
  flag: string
  value: string | boolean | undefined
}

/**
 * Tells the texts of a command line from its options. Unlike `util.parseArgs`, a negative number and a sentence are texts
 * where they begin with a dash, and an option takes no other option for its value.
 *
 * @returns the options in their order; one that lacks its value has none
 * @throws ValidationError `validation_failed` for an empty value, and a switch with a value
 */
export function readWords(argv: readonly string[], { commands, options }: Specs): { words: string[]; given: Given[] } {
  const all = [...options, ...commands.flatMap((spec) => spec.options ?? [])]
  const valued = new Set(all.filter(([flags]) => flags.includes('<')).flatMap(flagsOf))
  const words: string[] = []
  const given: Given[] = []
  const left = [...argv]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') words.push(...left.splice(0))
    else if (isText(word)) words.push(word)
    else {
      const [flag, text] = split(word)
      const [next] = left
      if (valued.has(flag)) {
        if ((text ?? next) === '') throw invalid(flag, 'needs a value')
        const value = text ?? (next !== undefined && isText(next) ? left.shift() : undefined)
        given.push({ flag, value })
        if (flag === '--file' && text === undefined && value !== undefined) refuseExpanded(value, left[0])
      } else {
        const isOn = text === undefined || toSwitch(flag, text)
        const letters = /^-[A-Za-z]{2,}$/.test(flag) ? [...flag.slice(1)].map((letter) => `-${letter}`) : [flag]
        given.push(...letters.map((letter) => ({ flag: letter, value: isOn })))
      }
    }
  }
  return { words, given }
}

/** A lone dash, a negative number, and a word with a space before any `=` are no options. */
const isText = (word: string): boolean => !/^--?[^\s=-][^\s=]*(=|$)/.test(word) || /^-[\d.]/.test(word)

function split(word: string): [flag: string, value: string | undefined] {
  const at = word.indexOf('=')
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function toSwitch(flag: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalid(flag, `is a switch and takes no value, not "${value}"`)
}
