import { invalid } from './flags.ts'
import type { Options } from './options.ts'

/** The text of a flag; of one that may be given again, the last. */
export function textOf(value: Options[string] | undefined): string | undefined {
  if (Array.isArray(value)) return value.at(-1)
  return value === undefined ? undefined : String(value)
}

/**
 * A whole number within bounds.
 *
 * @throws ValidationError `validation_failed` naming the flag
 */
export function countOf(
  flag: string,
  value: Options[string] | undefined,
  { min, max }: { min: number; max: number },
): number | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  const number = /^\d[\d_]{0,15}$/.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN
  if (Number.isNaN(number) || number < min || number > max) {
    const most = max === Number.MAX_SAFE_INTEGER ? ` of at least ${min}` : ` from ${min} to ${max}`
    throw invalid(flag, `must be a whole number${most}, not ${text.slice(0, 80)}`)
  }
  return number
}

/**
 * Options of a command belong to some of its actions: one that the chosen action does not know is no option of it.
 *
 * @param known by option, the actions that take it
 * @throws ValidationError `validation_failed`
 */
export function checkActionOptions(
  command: string,
  action: string,
  rest: Options,
  known: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [name, actions] of Object.entries(known)) {
    if (rest[name] === undefined || actions.includes(action)) continue
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    throw invalid(flag, `is no option of svc ${command} ${action}, but of ${actions.join(', ')}`)
  }
}
