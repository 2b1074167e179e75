import type { Call } from '../../../text/calls/call.ts'
import { type FileState, toFiles } from './files.ts'
import { runsTests } from './test-runs.ts'
import { toTokens } from './tokens.ts'

/** What the calls of a run did. */
export interface Deeds {
  readonly calls: readonly Call[]
  /** Calls that acted and succeeded; runs of tests and calls that only look are none. */
  readonly done: readonly Call[]
  /** Runs of tests, and programs that ended with an error. */
  readonly ran: readonly Call[]
  /** A program of unknown effect ran: it may have done anything. */
  readonly ranOther: boolean
  readonly files: readonly FileState[]
  /** Words of the arguments of calls that acted and succeeded. */
  readonly targets: ReadonlySet<string>
  /** Words of what was taken away: lines that files have no longer, arguments of programs. */
  readonly taken: ReadonlySet<string>
  /** Words of a call's arguments and result. */
  tokensOf(call: Call): ReadonlySet<string>
}

/** Programs that only look. */
const LOOKS = /^(?:ls|cat|head|tail|wc|grep|rg|find|stat|file|du|git (?:status|diff|log|show|branch|blame)|sort(?! .*-o)|diff|echo|pwd|which|date)\b/
const MAX_TEXT = 20_000

export function toDeeds(calls: readonly Call[]): Deeds {
  const acting = calls.filter((call) => call.acts && call.succeeded && !(call.runs && LOOKS.test(call.command)))
  const ran = calls.filter((call) => call.status === 'completed' && call.runs && (runsTests(call) || !call.succeeded))
  const done = acting.filter((call) => !ran.includes(call))
  const files = toFiles(calls)
  const cache = new Map<Call, ReadonlySet<string>>()
  return {
    calls,
    done,
    ran,
    ranOther: done.some((call) => call.isOpaque),
    files,
    targets: new Set(done.flatMap(({ words }) => toTokens(words))),
    taken: new Set([...done.filter(({ writesFile }) => !writesFile).flatMap(({ words }) => toTokens(words)), ...files.flatMap(toTaken)]),
    tokensOf(call) {
      const known = cache.get(call) ?? new Set(toTokens(`${call.words}\n${call.text}`.slice(0, MAX_TEXT)))
      cache.set(call, known)
      return known
    },
  }
}

function toTaken({ before, after }: FileState): string[] {
  if (before === undefined || after === undefined) return []
  const left = new Set(after.split('\n'))
  return before.split('\n').filter((line) => !left.has(line)).flatMap(toTokens)
}
