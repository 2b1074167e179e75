import { NO_ANSWER } from '@svc/core'
import { note } from '../claim.ts'
import type { Look } from '../look.ts'
import { type Question, readQuestion } from '../question.ts'
import { type Finding, notFound } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'

/** A question whose answer is to be put into a file. */
export interface Writing {
  readonly path: string
  /** What to write as it is, where the question gives it. */
  readonly content: string | undefined
  /** The question without the part about the file; its answer is what to write where no content is given. */
  readonly rest: Question
}

// Instructions start a clause: "what does it read and write to a.json?" is none.
const START = '(?:^|[.?!;:\\n]\\s{0,9}|,?\\s{0,9}\\b(?:and then|and|then)\\s)(?:please\\s)?'
const PUT = `${START}(?:write|save|store|put)\\b`
const FILE = '(?:(?:a|the)\\s+)?(?:new\\s+)?(?:text\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?'
const PATH = '[`"\']?([\\w@./-]{1,200}\\.\\w{1,8})[`"\']?'
const TO = `\\s+(?:to|into|in|as)\\s+${FILE}${PATH}(?!\\S*\\?)`
const QUOTED = '(?:"([^"]{1,5000})"|“([^”]{1,5000})”|`([^`]{1,5000})`|\'([^\'\\n]{1,5000})\')'
const KIND = '(?:words?|texts?|strings?|lines?|sentences?|phrases?|contents?|numbers?|values?)'

const PUT_QUOTED = new RegExp(`${PUT}[^"“\`'\\n.?!]{0,60}?${QUOTED}${TO}`, 'i')
const PUT_WORDS = new RegExp(
  `${PUT}\\s+(?:(?:only|just|exactly)\\s+)?the\\s+(?:(?:single|exact|following)\\s+)?${KIND}(?:\\s*:)?\\s+(?=\\S)((?!of\\b|from\\b|in\\b|that\\b|which\\b|about\\b|for\\b)[^\\n]{1,2000}?)${TO}`,
  'i',
)
const PUT_ANSWER = new RegExp(`${PUT}((?:(?!\\b(?:write|save)\\b)[^.?!\\n]){0,200}?)${TO}`, 'i')
const CREATE = new RegExp(
  `${START}(?:create|make|write)\\s+${FILE}${PATH}(?:\\s*,)?\\s+(?:with|containing|(?:that|which) (?:contains|holds|says))\\s+(?:(?:only|just|exactly)\\s+)?`,
  'i',
)
const GIVEN = new RegExp(`^(?:the\\s+)?(?:(?:single|exact|following)\\s+)?(?:${KIND}\\b\\s*(?::\\s*)?)?${QUOTED}`, 'i')
const GIVEN_WORDS = new RegExp(
  `^(?:the\\s+)?(?:(?:single|exact|following)\\s+)?${KIND}\\b\\s*(?::\\s*)?(?!of\\b|from\\b|in\\b|that\\b|about\\b)(\\S[^\\n]{0,2000})`,
  'i',
)
const POINTING =
  /^(?:\s*(?:it|this|that|them|everything|(?:the|all|your|these) (?:results?|answers?|outputs?|findings?))\s*)?$/i

/** Whether the question asks for a file to be written, and with what. */
export function readWriting({ text }: Question): Writing | undefined {
  const quoted = PUT_QUOTED.exec(text)
  if (quoted) return given(text, quoted, quoted[5], firstOf(quoted.slice(1, 5)))
  const worded = PUT_WORDS.exec(text)
  if (worded) return given(text, worded, worded[2], worded[1]?.trim())
  const created = CREATE.exec(text)
  if (created) return readCreation(text, created)
  const match = PUT_ANSWER.exec(text)
  const path = match?.[2]
  if (!match || path === undefined) return undefined
  const about = POINTING.test(match[1] ?? '') ? '' : ` ${match[1] ?? ''}`
  // the mark that ends the sentence before stays with it
  const before = /^[.?!]/.exec(match[0])?.[0] ?? ''
  return { path, content: undefined, rest: readQuestion(text.replace(match[0], () => `${before}${about}`).trim()) }
}

/** "create notes.txt with …": the text that is given, or what is to be found out. */
function readCreation(text: string, match: RegExpExecArray): Writing | undefined {
  const after = text.slice(match.index + match[0].length)
  const quoted = GIVEN.exec(after)
  const says = /says\s+$/i.test(match[0])
  const worded = (says ? /^(\S[^\n]{0,2000})/ : GIVEN_WORDS).exec(after)?.[1]
  const content = quoted ? firstOf(quoted.slice(1, 5)) : worded?.split(/(?<=[.!?])\s+(?=[A-Z])/)[0]?.replace(/\.$/, '')
  const path = match[1]
  if (path === undefined) return undefined
  return { path, content, rest: readQuestion(content === undefined ? after : text.slice(0, match.index)) }
}

function given(
  text: string,
  match: RegExpExecArray,
  path: string | undefined,
  content: string | undefined,
): Writing | undefined {
  if (path === undefined || content === undefined) return undefined
  return { path, content, rest: readQuestion(text.replace(match[0], '').trim()) }
}

const firstOf = (groups: readonly (string | undefined)[]): string | undefined =>
  groups.find((group) => group !== undefined)

const DENIED = /^error (?:policy|approval)_/i

/** Writes the content, to the letter, and says so. */
export function* writeAnswer(session: ToolSession, path: string, content: string): Look<Finding> {
  const tool = session.tools.get('write')
  if (!tool) return notFound(`I could not write \`${path}\`: I was offered no tool that writes files.`)
  const outcome = yield* session.call(tool.id, { [tool.main]: path, content })
  // whether a denied call was needed is for the run to say
  if (!outcome.ok) return { ...notFound(`I could not write \`${path}\`.`), missing: !DENIED.test(outcome.reason) }
  return { parts: [note(`I wrote this to \`${path}\`: ${outcome.text.split('\n')[0] ?? ''}`)], answered: true }
}

/** Where no text is given, and none can be read off the workspace. */
export const declineWriting = (path: string): string =>
  `${NO_ANSWER}: I wrote nothing to \`${path}\`; the task gives no text for it in words, and I do not compose any. I can write a text that is given (write "…" to ${path}), or the answer to a question about the workspace.`
