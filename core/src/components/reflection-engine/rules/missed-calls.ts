import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { runsTests } from '../evidence/test-runs.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Statement } from '../statements/to-statements.ts'
import { ALL, DENIES, DONE, NEGATED, withoutQuotes } from '../told/language.ts'
import { PASSED } from '../told/test-words.ts'
import { contradict, type Rule } from './rule.ts'

const STATE = /^(?:status|state|statut|état|zustand|stato|状態)$/i
/** A state in the result of a call by which it has not done what was asked, at least not yet. */
const NOT_DONE =
  /^(?:queued|pending.*|running|processing|waiting.*|awaiting.*|requires.*|needs.*|not .*|unconfirmed|bounced|undelivered|blocked|skipped|expired|timed? ?out|dry[ _-]run|simulated|cancell?ed|in[ _-]?progress|scheduled|draft|held|on[ _-]hold|partial(?:ly.*)?|rejected|failed|denied|declined|error|en[ _]attente|refusée?|rejetée?|wartend|ausstehend|in bearbeitung|abgelehnt|保留|処理中|失敗)$/i
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
    const own = withoutQuotes(text)
    const tokens = toTokens(own)
    const found =
      leaf === undefined
        ? missed.find((one) => tellsAll(own, tokens, one) || tellsDone(own, tokens, one))
        : findMeant(leaf, missed, material.calls)
    return found && contradict('request', describe(found.call), found.call)
  },
}

type Leaf = NonNullable<Statement['leaf']>

interface Missed {
  readonly call: Call
  /** The words by which a sentence means this call, and no other one that succeeded. */
  readonly names: readonly string[]
  /** How many things calls of its tool tried to work on. */
  readonly tried: number
}

function toMissed(calls: readonly Call[]): Missed[] {
  const others = new Set(calls.filter((one) => one.acts && succeeded(one)).flatMap(toNames))
  return calls
    .filter((call) => (call.status === 'completed' ? stateOf(call) !== undefined && !runsTests(call) : call.acts))
    .filter((call) => !isMadeGood(call, calls))
    .map((call) => ({
      call,
      names: toNames(call).filter((name) => /^\d{2}|.{4}/.test(name) && !others.has(name)),
      tried: new Set(calls.filter(({ tool }) => tool === call.tool).map((one) => textsOf(one)[0])).size,
    }))
}

/** "All three are closed", where three were tried and one failed. */
function tellsAll(text: string, tokens: readonly string[], { tried, call }: Missed): boolean {
  if (tried < 2 || !ALL.test(text) || NEGATED.test(text)) return false
  return tokens.includes(String(tried)) || isOfTool(call, tokens)
}

/** What the call is about, told as done; a figure means it only beside a word of its tool's name. */
function tellsDone(text: string, tokens: readonly string[], { names, call }: Missed): boolean {
  // A program that may do anything is no deed, but it can fail.
  if (DENIES.test(text) || !(PASSED.test(text) || (DONE.test(text) && !call.isOpaque))) return false
  return names.some((name) => tokens.includes(name) && (/\D/.test(name.replace('.', '')) || isOfTool(call, tokens)))
}

const isOfTool = ({ tool }: Call, tokens: readonly string[]): boolean =>
  toTokens(tool.replaceAll('_', ' ')).some((token) => token.length >= SHORTEST_TOKEN && tokens.includes(token))

/** A field for errors is empty though a call failed, a deed is true that no other call can have done, or it is named. */
function findMeant({ path, value }: Leaf, missed: readonly Missed[], calls: readonly Call[]): Missed | undefined {
  const key = (path.at(-1) ?? '').replaceAll('_', ' ')
  if (IS_ERROR.test(key)) return value === null || value === false || value === '' ? missed[0] : undefined
  if (typeof value === 'string')
    return missed.find(({ names }) => toTokens(value).some((token) => names.includes(token)))
  const words = toTokens(key)
  const done = calls.filter((call) => call.acts && succeeded(call))
  const isDone = done.some(({ tool, text }) =>
    toTokens(`${tool.replaceAll('_', ' ')} ${text}`).some((token) => words.includes(token)),
  )
  return value === true && !isDone && done.length <= 1 ? missed[0] : undefined
}

function describe(call: Call): string {
  const state = stateOf(call)
  if (state !== undefined) return `${call.tool} answered "${state}"`
  return `${call.tool} ${call.status === 'denied' ? 'was denied' : 'failed'}: ${excerpt(call.printed, 160)}`
}

/** What a completed call answers by which it has not done what was asked. */
function stateOf({ status, value, exitCode, runs, writesFile, acts }: Call): string | undefined {
  if (status !== 'completed' || writesFile) return undefined
  if (runs && (exitCode ?? 0) !== 0) return `exit code ${exitCode}`
  if (typeof value !== 'object' || value === null) return undefined
  const found = Object.entries(value).find(
    ([key, item]) =>
      (STATE.test(key) && (typeof item === 'number' ? item >= 400 : NOT_DONE.test(String(item)))) ||
      (acts && IS_ERROR.test(key) && typeof item === 'string' && item !== ''),
  )
  return found && String(found[1])
}

const succeeded = (call: Call): boolean => call.succeeded && stateOf(call) === undefined

/** Whether a later call of the tool did it for the same. */
const isMadeGood = (call: Call, calls: readonly Call[]): boolean =>
  calls
    .slice(call.index + 1)
    .some((later) => later.tool === call.tool && succeeded(later) && textsOf(later)[0] === textsOf(call)[0])

const toNames = (call: Call): string[] => textsOf(call).flatMap(toTokens)

/** The arguments that are short enough to say what a call is about. */
const textsOf = ({ args }: Call): string[] =>
  Object.values(args ?? {})
    .map((value) => (Array.isArray(value) ? value.join(' ') : value))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((text) => text.length < LONGEST_NAME)
