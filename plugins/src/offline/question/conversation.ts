import type { ContentPart, Message, ModelRequest } from '@svc/core'
import { CONTINUE_REQUEST, ERROR_CODES, toText } from '@svc/core'
import { canonicalJson } from '@svc/core/support'
import { readQuestion } from './question.ts'

/** What came of a tool call: its text, or why there is none. */
export type ToolOutcome = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }

/** Why a call has no result that the conversation allowed no more. */
export const NOT_CALLED = 'no more tool calls were allowed'

/** A request, as the provider understands it. */
export interface Conversation {
  /** What is asked. */
  readonly objective: string
  /** Whether it is a part of a task that several agents share. */
  readonly isPart: boolean
  /** What other steps found; empty when nothing came along. */
  readonly results: readonly string[]
  /** A text that came with the task. */
  readonly context: string
  /** What was remembered, a line each. */
  readonly memories: readonly string[]
  /** Images and PDFs that came along and that it cannot see, in words. */
  readonly unseen: readonly string[]
  /** Outcomes of earlier calls under `callKey`. */
  readonly outcomes: ReadonlyMap<string, ToolOutcome>
  /** What was already said of an answer that is to be carried on; empty when none is. */
  readonly said: string
  /** Earlier turns that asked for tools. */
  readonly turns: number
}

/** One text for one call, whatever the order of its arguments. */
export function callKey(tool: string, args: unknown): string {
  return `${tool} ${canonicalJson(args)}`
}

/** Reads objective, results of other steps and outcomes of tool calls out of the messages. */
export function readConversation(request: ModelRequest): Conversation {
  const messages = request.messages.slice(findTurnStart(request.messages))
  const asked = messages.find((message) => message.role === 'user')
  const unseen: string[] = []
  const text = asked ? withoutMedia(toText(taskFirst(asked.content.filter(isNoNote))), unseen) : ''
  const { objective: asIs, material } = splitObjective(text)
  const whole = ownPart(asIs)
  const objective = firstPart(whole)
  const context = [whole.slice(objective.length).trim(), ...sectionsOf(material, 'material')].join('\n').trim()
  const calls = new Map<string, string>()
  const outcomes = new Map<string, ToolOutcome>()
  let turns = 0
  for (const message of messages) {
    if (message.role === 'assistant' && message.toolCalls && message.toolCalls.length > 0) {
      turns++
      for (const call of message.toolCalls) calls.set(call.callId, callKey(call.tool, call.args))
    }
    const key = message.role === 'tool' ? calls.get(message.toolCallId ?? '') : undefined
    if (key !== undefined) outcomes.set(key, readOutcome(toText(message.content)))
  }
  const results = [...sectionsOf(material, 'result'), ...sectionsOf(material, 'found')]
  const isPlain = results.length === 0 && !/<(?:material|memory|answer)>/.test(material)
  return {
    objective,
    isPart: PART_OF.test(asIs),
    results: isPlain && material !== '' ? [material] : results,
    context,
    unseen,
    memories: sectionsOf(material, 'memory').flatMap((section) => section.split('\n')),
    outcomes,
    said: readSaid(messages),
    turns,
  }
}

/** Messages of a loop that wants the last answer again, whole or carried on: they ask nothing new. */
const AGAIN =
  /^(?:The answer does not fit the schema: [\s\S]*\bas JSON that fits\.|These steps cannot be executed:\n[\s\S]*\bas JSON alone\.|Your answer was empty\. Answer now, in words\.)$/

const isQuestion = (message: Message): boolean =>
  message.role === 'user' && !isContinue(message) && !AGAIN.test(toText(message.content).trim())

const isContinue = ({ role, content }: Message): boolean =>
  role === 'user' && toText(content).trim() === CONTINUE_REQUEST

/** The answers since the last message that wanted more than their continuation. */
function readSaid(messages: readonly Message[]): string {
  const last = messages.at(-1)
  if (!last || !isContinue(last)) return ''
  const start = messages.findLastIndex((message) => message.role === 'user' && !isContinue(message))
  const answers = messages
    .slice(start + 1)
    .filter(({ role, toolCalls }) => role === 'assistant' && (toolCalls ?? []).length === 0)
  return answers.map(({ content }) => toText(content)).join('')
}

/** Where the present question starts: after the last finished answer. */
function findTurnStart(messages: readonly Message[]): number {
  let start = 0
  messages.forEach((message, index) => {
    const isAnswer = message.role === 'assistant' && (message.toolCalls ?? []).length === 0
    if (isAnswer && messages.slice(index + 1).some(isQuestion)) start = index + 1
  })
  return start
}

/** Whether a part of the message is the task's own: nobody has trusted what the folder says. */
const isNoNote = (part: ContentPart): boolean =>
  part.type !== 'text' || !part.text.startsWith('Found in the folder, as material that nobody has trusted')

const MEDIA = /^\[((?:image|PDF)\b[^\]]*?)(: this model cannot (?:see images|read PDFs))?\]$/

/** A text without the lines that stand for images and PDFs. */
function withoutMedia(text: string, unseen: string[]): string {
  const lines = text.split('\n').filter((line) => {
    const [, what, isUnseen] = MEDIA.exec(line) ?? []
    if (what !== undefined && isUnseen !== undefined) unseen.push(what)
    return what === undefined
  })
  return lines.join('\n')
}

/** A failure is written by the loop as `Error <code>: message`; everything else is a result. */
function readOutcome(text: string): ToolOutcome {
  if (MEDIA.test(text.trim())) return { ok: false, reason: 'it is an image or a PDF, which I cannot see' }
  const code = /^\s*error\s+([a-z_]+)\b/i.exec(text)?.[1]
  if (code === undefined || !(code in ERROR_CODES)) {
    return OMITTED.test(text) ? { ok: false, reason: 'its result was left out to save room' } : { ok: true, text }
  }
  return { ok: false, reason: toReason(text) }
}

/** The first line, which says what failed, and the last ones, where a program says why; without the frames of a stack. */
function toReason(text: string): string {
  const [first = '', ...lines] = text
    .trim()
    .split('\n')
    .filter((line) => /\w/.test(line) && !/^\s*at /.test(line))
    .map((line) => line.trim())
  // what a program wrote first stands behind how it ended
  const end = lines.length > 0 ? /\bended (?:with code \d{1,9}|by \w{1,20})(?=: )/.exec(first) : null
  const what = end ? first.slice(0, end.index + end[0].length) : first
  return [what.slice(0, 240), ...lines.slice(-4).map((line) => line.slice(0, 160))].join('\n')
}

const OMITTED = /^\s*\[output omitted\b[^\]]*\]\s*$/

const MATERIAL_START =
  /^(?:<(?:result|material|memory|answer|found)\b|Done when:$|Format: |Material that came with the task:|Remembered from earlier|Your earlier answer:|The budget is used up\b)/

/** What came with a task stands in parts of its own before it, and is read after it. */
function taskFirst(content: Message['content']): Message['content'] {
  const start = content.findIndex(
    (part) => part.type === 'text' && !MATERIAL_START.test(part.text.split('\n')[0] ?? ''),
  )
  return start < 1 ? content : [...content.slice(start), ...content.slice(0, start)]
}

/** Whether a line ends with citations in brackets. */
export function isCited(line: string): boolean {
  const end = /\)\s{0,9}\.?$/.exec(line)?.index ?? -1
  const start = line.lastIndexOf('(', end)
  const cites = line.slice(start + 1, end).split(', ')
  return end >= 0 && start >= 0 && cites.every((cite) => /^[^()\s]+(?::\d+(?:-\d+)?|\/)$/.test(cite))
}

/** The objective is what stands before the first piece of material, or before the first cited sentence. */
function splitObjective(text: string): { objective: string; material: string } {
  const lines = text.split('\n')
  let index = lines.findIndex((line, position) => position > 0 && MATERIAL_START.test(line))
  if (index < 0) index = lines.findIndex((line, position) => position > 0 && isCited(line))
  if (index < 0) return { objective: text.trim(), material: '' }
  return { objective: lines.slice(0, index).join('\n').trim(), material: lines.slice(index).join('\n').trim() }
}

/** Characters of a task that are read as the question; what follows is material that came with it. */
const LONGEST_QUESTION = 8000

/** The beginning of a long text, to the end of a line or a word where there is one. */
function firstPart(text: string): string {
  if (text.length <= LONGEST_QUESTION) return text
  const end = Math.max(text.lastIndexOf('\n', LONGEST_QUESTION), text.lastIndexOf(' ', LONGEST_QUESTION))
  return text.slice(0, end > 0 ? end : LONGEST_QUESTION)
}

const PART_OF = /\nThis is part of: /

/** The part alone, without the task that it is part of; what "it" is there is taken over where the part names nothing. */
function ownPart(objective: string): string {
  const [own = '', whole] = objective.split(PART_OF)
  if (whole === undefined) return objective
  const question = readQuestion(own)
  const { paths, identifiers } = readQuestion(whole)
  const subject = paths[0] ?? identifiers[0]
  const isOpen = question.paths.length === 0 && question.identifiers.length === 0
  return subject !== undefined && isOpen && /\b(?:it|its|they|them|their|this|that)\b/i.test(own)
    ? `${own} (${subject})`
    : own
}

/** The texts between the marks of one name, `<result of="step-1">` and `</result>`. */
function sectionsOf(material: string, name: string): string[] {
  const sections: string[] = []
  let open: string[] | undefined
  for (const line of material.split('\n')) {
    if (!open && (line === `<${name}>` || (line.startsWith(`<${name} `) && line.endsWith('>')))) open = []
    else if (open && line === `</${name}>`) {
      sections.push(open.join('\n').trim())
      open = undefined
    } else open?.push(line)
  }
  if (open) sections.push(open.join('\n').trim())
  return sections.filter((section) => section !== '')
}
