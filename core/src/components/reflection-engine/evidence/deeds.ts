import type { Call } from '../../../text/calls/call.ts'
import type { Material } from '../material.ts'
import { type FileState, toFiles } from './files.ts'
import { runsTests } from './test-runs.ts'
import { toTokens } from './tokens.ts'

/** What the calls of a run did, and by what names a statement can mean it. */
export interface Deeds {
  readonly calls: readonly Call[]
  /** Calls that acted and succeeded; runs of tests and programs that only look are none. */
  readonly done: readonly Call[]
  /** Runs of tests, and programs that ended with an error. */
  readonly ran: readonly Call[]
  /** A program of unknown effect ran: it may have done anything. */
  readonly ranOther: boolean
  readonly changed: readonly FileState[]
  /** Arguments of all calls and results of those that acted; of those in `done` both; in lower case. */
  readonly named: string
  readonly reached: string
  /** Words: of what was taken away, of files before and after, of what was read or asked. */
  readonly taken: ReadonlySet<string>
  readonly left: ReadonlySet<string>
  readonly seen: ReadonlySet<string>
  /** The addresses in the lines that have a name. */
  readonly addresses: ReadonlyMap<string, ReadonlySet<string>>
  /** Words of a call's arguments and result. */
  tokensOf(call: Call): ReadonlySet<string>
}

/** An address of mail, a channel, a number of a telephone, an id of letters and digits. */
export const ADDRESS =
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|(?<![\w&])#[a-z][\w-]{2,40}|\+\d[\d ]{7,16}\d|(?<![\w-])[A-Z]{1,8}-\d{1,8}(?![\w-])/g
export const NAME = /(?<!\p{L})\p{Lu}\p{L}{2,30}/gu
const LOOKS =
  /^(?:ls|cat|head|tail|wc|grep|rg|find|stat|file|du|git (?:status|diff|log|show|branch|blame)|sort(?! .*-o)|diff|echo|pwd|which|date)\b/
const MAX_TEXT = 20_000

export function toDeeds({ calls, task, readText }: Material): Deeds {
  const ran = calls.filter((call) => call.status === 'completed' && call.runs && (runsTests(call) || !call.succeeded))
  const done = calls.filter(
    (call) => call.acts && call.succeeded && !ran.includes(call) && !(call.runs && LOOKS.test(call.command)),
  )
  const files = toFiles(calls)
  const changed = files.filter(({ writes }) => writes.length > 0)
  const words = new Map(calls.map((call) => [call, call.words]))
  const argumentsOf = (some: readonly Call[]): string => some.map((call) => words.get(call)).join('\n')
  const cache = new Map<Call, ReadonlySet<string>>()
  return {
    calls,
    done,
    ran,
    ranOther: done.some((call) => call.isOpaque),
    changed,
    named: `${argumentsOf(calls)}\n${calls.map((call) => (call.acts ? call.text : '')).join('\n')}`.toLowerCase(),
    reached: `${argumentsOf(done)}\n${done.map(({ text }) => text).join('\n')}`.toLowerCase(),
    taken: new Set(
      toTokens(`${argumentsOf(done.filter(({ writesFile }) => !writesFile))}\n${changed.map(toTaken).join('\n')}`),
    ),
    left: new Set(changed.flatMap(({ before = '', after = '' }) => toShared(before, after))),
    seen: new Set(toTokens(`${readText}\n${task.description}`)),
    addresses: toAddresses(readText),
    tokensOf(call) {
      const known = cache.get(call) ?? new Set(toTokens(`${words.get(call) ?? ''}\n${call.text}`.slice(0, MAX_TEXT)))
      cache.set(call, known)
      return known
    },
  }
}

/** The lines that a file has no longer. */
function toTaken({ before = '', after = '' }: FileState): string {
  const left = new Set(after.split('\n'))
  return before
    .split('\n')
    .filter((line) => !left.has(line))
    .join('\n')
}

function toShared(before: string, after: string): string[] {
  const now = new Set(toTokens(after))
  return toTokens(before).filter((token) => now.has(token))
}

function toAddresses(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const line of text.split('\n'))
    for (const address of line.match(ADDRESS) ?? [])
      for (const name of line.match(NAME) ?? []) found.set(name, (found.get(name) ?? new Set()).add(address))
  return found
}
