import type { Reach } from '@svc/core'
import { didYouMean, invalid } from './wrong.ts'

/** The options of a command line by their long names in camel case, as cac hands them over; those with `--no-` are false. */
export class GivenOptions {
  readonly #values = new Map<string, (string | boolean)[]>()

  constructor(parsed: Readonly<Record<string, unknown>>, toText: (value: string) => string) {
    for (const [name, value] of Object.entries(parsed)) {
      if (name === '--') continue
      this.#values.set(
        name,
        [value].flat().map((one) => (typeof one === 'boolean' ? one : toText(String(one)))),
      )
    }
  }

  /** The text of an option; the last one where it was given again. */
  text(name: string): string | undefined {
    return this.list(name).at(-1)
  }

  /** All texts of an option that may be given again. */
  list(name: string): string[] {
    return (this.#values.get(name) ?? []).filter((value) => typeof value === 'string')
  }

  /** Whether a switch is on. */
  is(name: string): boolean {
    return this.#values.get(name)?.at(-1) === true
  }

  /** How far is looked: `--all` means at the runs of other folders too. */
  get reach(): Reach {
    return this.is('all') ? { all: true } : {}
  }

  /** Whether a switch with `--no-` was given. */
  isOff(name: string): boolean {
    return this.#values.get(name)?.includes(false) === true
  }

  /** @throws ValidationError `validation_failed` for a text that is none of these words */
  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
    if (found !== undefined) return found
    throw invalid(name, `must be one of ${words.join(', ')}, not "${text.slice(0, 80)}"${didYouMean(text, words)}`)
  }

  /** A whole number within bounds. @throws ValidationError `validation_failed` naming the option */
  count(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const number = /^\d[\d_]{0,15}$/.test(text) ? toNumber(text) : Number.NaN
    if (number >= min && number <= max) return number
    const bounds = max === Number.MAX_SAFE_INTEGER ? ` of at least ${min}` : ` from ${min} to ${max}`
    throw invalid(name, `must be a whole number${bounds}, not ${text.slice(0, 80)}`)
  }

  /** A number that fits. @param wanted what it must be, as a person reads it */
  number(name: string, wanted: string, fits: (number: number) => boolean): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!/^[+-]?\d[\d_]{0,20}(\.\d{1,20})?$/.test(text)) throw invalid(name, `must be a number, not "${text}"`)
    const number = toNumber(text)
    if (!fits(number)) throw invalid(name, `must be ${wanted}, not ${number}`)
    return number
  }
}

const toNumber = (text: string): number => Number(text.replaceAll('_', ''))

/** The values that are there: for objects whose absent fields must not stand as undefined. */
export function defined<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
}
