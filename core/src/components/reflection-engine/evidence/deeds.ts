import type { Call } from '../../../text/calls/call.ts'
import { isSamePath } from '../../../text/calls/paths.ts'
import type { Material } from '../material.ts'
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
  /** Arguments of all calls and results of those that acted; of those in `done` both; in lower case. */
  readonly named: string
  readonly reached: string
  /** Words that `done` took away or is about, of the files that were changed, and of what was read or asked. */
  readonly removed: ReadonlySet<string>
  readonly shown: ReadonlySet<string>
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
/** What an edit replaces, in its arguments. */
const REPLACED = /"(?:find|old\w{0,10})":"(?:[^"\\]|\\.)*"/g
const MAX_TEXT = 20_000

export function toDeeds({ calls, task, readText }: Material): Deeds {
  const ran = calls.filter((call) => call.status === 'completed' && call.runs && (runsTests(call) || !call.succeeded))
  const done = calls.filter(
    (call) => call.acts && call.succeeded && !ran.includes(call) && !(call.runs && LOOKS.test(call.command)),
  )
  const isChanged = ({ acts, path = '' }: Call): boolean =>
    !acts && done.some((call) => call.writesFile && isSamePath(call.path ?? '', path))
  const textOf = (some: readonly Call[]): string => some.map(({ text }) => text).join('\n')
  const wordsOf = (some: readonly Call[]): string => some.map(({ words }) => words).join('\n')
  const shown = new Set(toTokens(textOf(calls.filter(isChanged))))
  const known = new Map<Call, ReadonlySet<string>>()
  return {
    calls,
    done,
    ran,
    ranOther: done.some((call) => call.isOpaque),
    named: `${wordsOf(calls)}\n${textOf(calls.filter(({ acts }) => acts))}`.toLowerCase(),
    reached: `${wordsOf(done)}\n${textOf(done)}`.toLowerCase(),
    removed: new Set(done.flatMap((call) => (call.writesFile ? removedBy(call, shown) : toTokens(call.words)))),
    shown,
    seen: new Set(toTokens(`${readText}\n${task.description}`)),
    addresses: toAddresses(readText),
    tokensOf(call) {
      const tokens = known.get(call) ?? new Set(toTokens(`${call.words}\n${call.text}`.slice(0, MAX_TEXT)))
      known.set(call, tokens)
      return tokens
    },
  }
}

const toJson = ({ args }: Call): string => JSON.stringify(args).replaceAll('\\n', ' ')

/** Words that the arguments of an edit have beside what it replaces. */
export const addedBy = (call: Call): ReadonlySet<string> => new Set(toTokens(toJson(call).replace(REPLACED, ' ')))

/** Words that an edit replaces, of a file written anew those that stood there, and that it does not put back. */
function removedBy(call: Call, shown: ReadonlySet<string>): string[] {
  const left = addedBy(call)
  return [...(toJson(call).match(REPLACED)?.flatMap(toTokens) ?? shown)].filter((token) => !left.has(token))
}

function toAddresses(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const line of text.split('\n'))
    for (const address of line.match(ADDRESS) ?? [])
      for (const name of line.match(NAME) ?? []) found.set(name, (found.get(name) ?? new Set()).add(address))
  return found
}
