import { note } from '../claim.ts'
import type { Desk } from '../desk.ts'
import type { Look } from '../look.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { type Question, readQuestion } from '../question.ts'
import type { Finding } from '../skill.ts'

/** A question whose answer is to be put into a file. */
export interface Writing {
  readonly path: string
  /** What to write as it is, where the question gives it in quotation marks. */
  readonly content: string | undefined
  /** The question without the part about the file. */
  readonly rest: Question
}

const TO_FILE =
  /\s*(?:,?\s*(?:and|then)\s+)?\b(?:write|save|store|put|export)\b((?:(?!\b(?:write|save)\b)[^.?!\n]){0,200}?)\b(?:to|into|in|as)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?[`"']?([\w@./-]+\.\w{1,8})[`"']?/i

/** Whether the question asks for a file to be written, and can be done with the offered tools. */
export function readWriting(question: Question, tools: OfferedTools): Writing | undefined {
  if (!tools.get('write')) return undefined
  const match = TO_FILE.exec(question.text)
  const path = match?.[2]
  if (!match || path === undefined) return undefined
  const content = question.quoted.find((item) => item !== path && (match[1] ?? '').includes(item))
  const about = /^(?:\s*(?:it|this|that|them|the (?:result|answer|output)s?|your (?:answer|findings))\s*)?$/i.test(
    match[1] ?? '',
  )
    ? ''
    : ` ${match[1] ?? ''}`
  return { path, content, rest: readQuestion(`${question.text.replace(match[0], about)}`.trim()) }
}

/** Writes the content and says so. */
export function* writeAnswer(desk: Desk, path: string, content: string): Look<Finding> {
  const tool = desk.tools.get('write')
  if (!tool) return { parts: [], answered: false }
  const outcome = yield* desk.call(tool.id, { [tool.main]: path, content: `${content}\n` })
  const text = outcome.ok
    ? `I wrote this to \`${path}\`: ${outcome.text.split('\n')[0] ?? ''}`
    : `I could not write \`${path}\`.`
  return { parts: [note(text)], answered: true }
}
