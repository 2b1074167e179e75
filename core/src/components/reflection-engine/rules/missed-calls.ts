import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { runsTests } from '../evidence/test-runs.ts'
import { toTokens } from '../evidence/tokens.ts'
import { ALL, DENIES, DONE, NEGATED, withoutQuotes } from '../told/language.ts'
import { contradict, type Holding, type Rule } from './rule.ts'

/** A state in the result of a call by which it has not done what was asked, at least not yet. */
const NOT_DONE =
  /^(?:queued|pending.*|running|processing|waiting.*|awaiting.*|requires.*|needs.*|not .*|unconfirmed|bounced|undelivered|blocked|skipped|expired|timed? ?out|dry[ _-]run|simulated|cancell?ed|in[ _-]?progress|scheduled|draft|held|on[ _-]hold|partial(?:ly.*)?|rejected|failed|denied|declined|error|en[ _]attente|refusée?|rejetée?|wartend|ausstehend|in bearbeitung|abgelehnt|保留|処理中|失敗)$/i
/** The same in the words of an answer that is no structure. */
const IN_WORDS =
  /\b(?:awaiting|rejected|denied|declined|failed|dry[ -]run|(?:not|nothing) (?:yet )?\w{3,20}(?:ed|nt)|draft saved|0 rows)\b/i
const SUCCESS =
  /^(?:ok|success\w*|succeeded|done|sent|delivered|accepted|completed|applied|merged|published|paid|booked|confirmed)$/i
const LONGEST_ANSWER = 300
const STATE = /^(?:status|state|statut|état|zustand|stato|状態)$/i
const IS_ERROR = /^(?:errors?|failures?|failed|fehler|erreurs?)$/i
/** Longer arguments are content, and no names of what a call is about. */
const LONGEST_NAME = 80
const SHORTEST_TOKEN = 4
const LONGEST_STATEMENT = 2_000

/** No statement tells as done what a call failed to do, was denied, or has not finished, and nothing made good. */
export const missedCalls: Rule = {
  id: 'missed-calls',
  trust: 0.95,
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Report what failed, was denied or is still under way as that.',
  },
  hint: 'Do it again, or say that it was not done.',
  hold({ text, leaf }, material) {
    const missed = material.once('missed', () => toMissed(material.calls))
    if (missed.length === 0 || text.length > LONGEST_STATEMENT || text.startsWith('>')) return undefined
    if (leaf !== undefined) return holdLeaf(leaf.path.at(-1) ?? '', leaf.value, missed, material.calls)
    const own = withoutQuotes(text)
    const said = new Set(toTokens(own))
    const found = missed.find(
      (one) =>
        // Who names the state is honest about it.
        !toTokens(stateOf(one.call) ?? '').some((token) => said.has(token)) &&
        ((!NEGATED.test(own) && tellsAll(own, one)) ||
          (!DENIES.test(own) &&
            DONE.test(own) &&
            one.names.some(
              (name) => said.has(name) && (/\D/.test(name.replace('.', '')) || isOfTool(one.call, said)),
            ))),
    )
    return found && refute(found)
  },
}

interface Missed {
  readonly call: Call
  /** The words by which a sentence means this call, and no other one of its tool that succeeded. */
  readonly names: readonly string[]
  /** How many things calls of its tool tried to work on. */
  readonly tried: number
  /** Words that all calls of its tool share, the tool's name included. */
  readonly shared: ReadonlySet<string>
}

function toMissed(calls: readonly Call[]): Missed[] {
  return calls
    .filter((call) =>
      call.status === 'failed' || call.status === 'denied'
        ? call.acts
        : stateOf(call) !== undefined && !runsTests(call) && !call.isOpaque,
    )
    .filter((call) => !isMadeGood(call, calls))
    .map((call) => {
      const siblings = calls.filter(({ tool }) => tool === call.tool)
      const others = new Set(calls.filter((one) => one.acts && succeeded(one)).flatMap(toNames))
      const [first, ...rest] = siblings.map(
        (one) => new Set([...toTokens(one.tool.replaceAll('_', ' ')), ...toTokens(one.words)]),
      )
      return {
        call,
        names: toNames(call).filter(
          (name) => (name.length >= SHORTEST_TOKEN || /^\d{2}/.test(name)) && !others.has(name),
        ),
        tried: new Set(siblings.map((one) => textsOf(one)[0])).size,
        shared: new Set([...(first ?? [])].filter((token) => rest.every((other) => other.has(token)))),
      }
    })
}

const refute = ({ call }: Missed): Holding => contradict('request', describe(call), call)

function describe(call: Call): string {
  const state = stateOf(call)
  if (state !== undefined) return `${call.tool} answered "${state}"`
  return `${call.tool} ${call.status === 'denied' ? 'was denied' : 'failed'}: ${excerpt(call.printed, 160)}`
}

/** A figure means a call only beside a word of its tool's name. */
const isOfTool = ({ tool }: Call, said: ReadonlySet<string>): boolean =>
  toTokens(tool.replaceAll('_', ' ')).some((token) => said.has(token))

/** "All three are closed", where three were tried and one failed. */
function tellsAll(text: string, { tried, shared }: Missed): boolean {
  if (tried < 2 || !ALL.test(text)) return false
  const tokens = toTokens(text)
  return tokens.includes(String(tried)) || tokens.some((token) => shared.has(token) && token.length >= SHORTEST_TOKEN)
}

/** A field for errors is empty though a call failed, or a deed is true that only the failed call can have done. */
function holdLeaf(key: string, value: unknown, missed: readonly Missed[], calls: readonly Call[]): Holding | undefined {
  const [first] = missed
  if (IS_ERROR.test(key) && (value === null || value === false || value === '')) return first && refute(first)
  const words = toTokens(key.replaceAll('_', ' '))
  const done = calls.filter((call) => call.acts && succeeded(call))
  const isDone = done.some((call) =>
    toTokens(`${call.tool.replaceAll('_', ' ')} ${call.text}`).some((token) => words.includes(token)),
  )
  if (value === true) return isDone || first === undefined || done.length > 1 ? undefined : refute(first)
  if (typeof value !== 'string') return undefined
  const meant = missed.find(({ names }) => toTokens(value).some((token) => names.includes(token)))
  return meant && refute(meant)
}

/** What a completed call answers by which it has not done what was asked. */
function stateOf({ status, value, exitCode, runs, writesFile, acts }: Call): string | undefined {
  if (status !== 'completed' || writesFile) return undefined
  if (runs && (exitCode ?? 0) !== 0) return `exit code ${exitCode}`
  if (typeof value === 'string') return acts && value.length < LONGEST_ANSWER ? IN_WORDS.exec(value)?.[0] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    if (STATE.test(key) && (typeof item === 'string' ? NOT_DONE.test(item) : typeof item === 'number' && item >= 400))
      return String(item)
    if (
      acts &&
      ((item === false && SUCCESS.test(key)) || (IS_ERROR.test(key) && typeof item === 'string' && item !== ''))
    )
      return `${key}: ${item}`
  }
  return undefined
}

const succeeded = (call: Call): boolean => call.succeeded && stateOf(call) === undefined

/** Whether a later call of the tool did it for the same. */
function isMadeGood(call: Call, calls: readonly Call[]): boolean {
  const [first] = textsOf(call)
  return calls.some(
    (other) =>
      other.index > call.index &&
      other.tool === call.tool &&
      succeeded(other) &&
      (first === undefined || textsOf(other).includes(first)),
  )
}

const toNames = (call: Call): string[] => textsOf(call).flatMap(toTokens)

/** The arguments that are short enough to say what a call is about. */
const textsOf = ({ args }: Call): string[] =>
  typeof args !== 'object' || args === null
    ? []
    : Object.values(args)
        .map((value) => (Array.isArray(value) ? value.join(' ') : value))
        .filter((value) => typeof value === 'string' || typeof value === 'number')
        .map(String)
        .filter((text) => text.length < LONGEST_NAME)
