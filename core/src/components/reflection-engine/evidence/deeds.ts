import { type Call, fieldOf } from '../../../text/calls/call.ts'
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
  /** Words: of arguments in `done`, of an edit what it took away, of the files that were changed, of what was read or asked. */
  readonly targets: ReadonlySet<string>
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
const MAX_TEXT = 20_000

export function toDeeds({ calls, task, readText }: Material): Deeds {
  const ran = calls.filter((call) => call.status === 'completed' && call.runs && (runsTests(call) || !call.succeeded))
  const done = calls.filter(
    (call) => call.acts && call.succeeded && !ran.includes(call) && !(call.runs && LOOKS.test(call.command)),
  )
  const changed = done.flatMap(({ writesFile, path }) => (writesFile && path !== undefined ? [path] : []))
  const shown = calls.filter(
    ({ acts, path }) => !acts && path !== undefined && changed.some((one) => isSamePath(one, path)),
  )
  const argumentsOf = (some: readonly Call[]): string => some.map(({ words }) => words).join('\n')
  const textOf = (some: readonly Call[]): string => some.map(({ text }) => text).join('\n')
  const known = new Map<Call, ReadonlySet<string>>()
  return {
    calls,
    done,
    ran,
    ranOther: done.some((call) => call.isOpaque),
    named: `${argumentsOf(calls)}\n${textOf(calls.filter(({ acts }) => acts))}`.toLowerCase(),
    reached: `${argumentsOf(done)}\n${textOf(done)}`.toLowerCase(),
    targets: new Set(done.flatMap((call) => toTargets(call, textOf(shown)))),
    shown: new Set(toTokens(textOf(shown))),
    seen: new Set(toTokens(`${readText}\n${task.description}`)),
    addresses: toAddresses(readText),
    tokensOf(call) {
      const tokens = known.get(call) ?? new Set(toTokens(`${call.words}\n${call.text}`.slice(0, MAX_TEXT)))
      known.set(call, tokens)
      return tokens
    },
  }
}

/** What the arguments of a call are about; of what was written, what is there no longer. */
function toTargets({ words, args, writesFile }: Call, shown: string): string[] {
  if (!writesFile) return toTokens(words)
  const content = fieldOf(args, ['content'])
  const edits = fieldOf(args, ['edits'])
  const steps: readonly unknown[] = Array.isArray(edits) ? edits : [args]
  return steps.flatMap((step) => {
    const find = content === undefined ? fieldOf(step, ['find', 'old', 'old_string', 'old_str']) : shown
    const put = content ?? fieldOf(step, ['replace', 'new', 'new_string', 'new_str'])
    const left = new Set(toTokens(String(put)))
    return toTokens(String(find)).filter((token) => !left.has(token))
  })
}

function toAddresses(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const line of text.split('\n'))
    for (const address of line.match(ADDRESS) ?? [])
      for (const name of line.match(NAME) ?? []) found.set(name, (found.get(name) ?? new Set()).add(address))
  return found
}
