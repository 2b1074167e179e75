import type { Call } from '../../../text/calls/call.ts'
import { findPaths, plainPath } from '../../../text/calls/paths.ts'
import { contradict, type Holding, type Rule } from '../check.ts'
import { deedsOf, type Missed, namedIn } from '../evidence/deeds.ts'
import { toTokens } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { ALL, asksForDeed, DENIES, DONE, NEGATED, PASSED, TEXTS } from '../told/language.ts'

const FIRST_PERSON =
  /(?<!\p{L})(?:i(?:['’]ve|(?: have| also| then| just){0,2})|we(?:['’]ve| have)?|ich|habe|j['’]ai|nous avons)(?![\p{L}.'’])/iu
/** Any form of the past: of the task's own verb it tells of the work. */
const PAST =
  /(?<!\p{L})(?:\p{L}{3,30}ed|ran|split|booked|sent|ge\p{L}{3,30}(?:t|en)|\p{L}{3,20}ées?|\p{L}{3,20}és?)(?!\p{L})|しました/iu

/** Says of the agent itself that it did not do something. */
const ADMITS =
  /(?<!\p{L})(?:i (?:could|can|was|am|do|did|have)(?:n['’]t| not)|i cannot|i was unable|ich (?:konnte|kann|habe)[^.\n]{0,60} nicht|je n['’]ai pas|je ne peux pas)(?!\p{L})/iu
const SHORTEST_TOKEN = 4
const IS_ERROR = /^(?:errors?|failures?|failed|fehler|erreurs?)$/i

/** What the answer says was done was not done by any call. */
export const deeds: Rule = (statement, material) => {
  const { description } = material.task
  const told = statement.told.replace(/`[^`\n]{0,200}\s[^`\n]{0,200}`/g, ' … ')
  if (told === '') return undefined
  const [verb = ''] = toTokens(PAST.exec(told)?.[0] ?? '')
  if (!DONE.test(told) && (verb === '' || !toTokens(description).includes(verb))) return undefined
  if (DENIES.test(told) || TEXTS.test(description)) return undefined
  return untouched(told, material) ?? undone(told, material)
}

/** A file that is named as worked on was touched by no call. */
function untouched(text: string, material: Material): Holding | undefined {
  const { done } = deedsOf(material)
  // A program of unknown effect may have done anything.
  if (done.some((call) => call.isOpaque) || !DONE.test(text) || material.output.includes('```')) return undefined
  const path = findPaths(text).find((one) => !namedIn(material).includes(plainPath(one).split('/').at(-1) ?? one))
  if (path === undefined) return undefined
  // Without any call the answer may say how things work.
  const isAsked = asksForDeed(material) || material.task.description.includes(path)
  return done.length > 0 || FIRST_PERSON.test(text) || isAsked
    ? contradict('file', `no call touched ${path}`)
    : undefined
}

/** No call acted, and the answer calls done what the task asked for; or in the first person something after it looked. */
function undone(text: string, material: Material): Holding | undefined {
  const { hasActed, missed } = deedsOf(material)
  // Who says that it could not be done may go on with words for somebody else.
  if (hasActed || material.output.includes('```') || ADMITS.test(material.prose)) return undefined
  const isMine = FIRST_PERSON.test(text)
  if (!asksForDeed(material) && !(isMine && material.calls.length > 0 && DONE.test(text))) return undefined
  // What was read may tell of deeds of others.
  const verb = (DONE.exec(text) ?? PAST.exec(text))?.[0].toLowerCase() ?? ''
  if (!isMine && material.evidenceText.toLowerCase().includes(verb)) return undefined
  return contradict('command', 'no call did it', missed.at(-1)?.call)
}

/** No statement tells as done what a call failed to do, was denied, or has not finished, and nothing made good. */
export const missedCalls: Rule = ({ told, leaf }, material) => {
  const { missed } = deedsOf(material)
  if (missed.length === 0) return undefined
  const tokens = toTokens(leaf === undefined ? told : String(leaf.value ?? ''))
  const found = missed.find((one) => {
    if (leaf === undefined) return tellsAll(told, tokens, one) || tellsDone(told, tokens, one)
    // A field for errors is empty though a call failed, or another one names what was not done.
    return IS_ERROR.test(leaf.path.at(-1) ?? '') ? !leaf.value : one.names.some((name) => tokens.includes(name))
  })
  return found && contradict('request', found.why, found.call)
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
