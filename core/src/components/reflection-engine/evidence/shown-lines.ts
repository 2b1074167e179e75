import type { Call } from '../../../text/calls/call.ts'
import { toTokens } from './tokens.ts'

/** A line of a file, as a call showed it with its number. */
export interface ShownLine {
  readonly call: Call
  readonly path: string | undefined
  readonly number: number
  readonly content: string
  /** Its words. */
  readonly tokens: ReadonlySet<string>
  /** Of a search: all lines that fit were shown. */
  readonly isHit: boolean
}

const NUMBERED = /^(?:(?!\d+:)([\w@./-]{1,300}):)?\s{0,8}(\d{1,7})(?:\t|:\s?|$)(.{0,2000})/
const MAX_LINES = 20_000

/** The numbered lines that calls showed: of files that were read, and of searches. */
export function toShownLines(calls: readonly Call[]): ShownLine[] {
  return calls.flatMap((call): ShownLine[] => {
    const { printed, value, path, command, args } = call
    const stdout = (value as { stdout?: unknown } | null)?.stdout
    const searched =
      command === '' ? (args as { query?: unknown } | null)?.query !== undefined : /\bgrep\b/.test(command)
    const named = command.split(/\s+/).findLast((word) => /\.\w{1,5}$/.test(word))
    return (typeof stdout === 'string' ? stdout : printed).split('\n', MAX_LINES).flatMap((line) => {
      const found = NUMBERED.exec(line)
      if (found === null) return []
      const [, own, number, content = ''] = found
      return [
        {
          call,
          path: own ?? path ?? named,
          number: Number(number),
          content,
          tokens: new Set(toTokens(content)),
          isHit: searched,
        },
      ]
    })
  })
}
