import type { Message, ModelRequest } from '@svc/core'
import { toText } from '@svc/core'

/** What came of a tool call: its text, or why there is none. */
export type ToolOutcome = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }

/** A request, as the provider understands it. */
export interface Conversation {
  /** What is asked. */
  readonly objective: string
  /** What other steps found, as it stands in the message; empty when nothing does. */
  readonly material: string
  /** Outcomes of earlier calls under `callKey`. */
  readonly outcomes: ReadonlyMap<string, ToolOutcome>
  /** Earlier turns that asked for tools. */
  readonly turns: number
}

/** One text for one call, whatever the order of its arguments. */
export function callKey(tool: string, args: unknown): string {
  return `${tool} ${JSON.stringify(sortKeys(args))}`
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  )
}

/** Reads objective, material of other steps and outcomes of tool calls out of the messages. */
export function readConversation(request: ModelRequest): Conversation {
  const start = findTurnStart(request.messages)
  const messages = request.messages.slice(start)
  const asked = messages.find((message) => message.role === 'user')
  const text = asked ? toText(asked.content) : ''
  const { objective, material } = splitMaterial(text)
  const calls = new Map<string, string>()
  const outcomes = new Map<string, ToolOutcome>(readRecordedCalls(material))
  let turns = 0
  for (const message of messages) {
    if (message.role === 'assistant' && message.toolCalls && message.toolCalls.length > 0) {
      turns++
      for (const call of message.toolCalls) calls.set(call.callId, callKey(call.tool, call.args))
    }
    const key = message.role === 'tool' ? calls.get(message.toolCallId ?? '') : undefined
    if (key !== undefined) outcomes.set(key, readOutcome(toText(message.content)))
  }
  return { objective, material, outcomes, turns }
}

/** Where the present question starts: after the last finished answer. */
function findTurnStart(messages: readonly Message[]): number {
  let start = 0
  messages.forEach((message, index) => {
    const isAnswer = message.role === 'assistant' && (message.toolCalls ?? []).length === 0
    if (isAnswer && messages.slice(index + 1).some((later) => later.role === 'user')) start = index + 1
  })
  return start
}

const ERROR_CODE = '[a-z]+(?:_[a-z]+)+'
const FAILURE = new RegExp(
  `^\\s*(?:(?:tool )?(?:error|failed|denied)\\b[: ]|\\[?(?:error )?(${ERROR_CODE})\\]?[:(])\\s*`,
  'i',
)

/** A failure is written by the loop as `error <code>: message` or the like; everything else is a result. */
export function readOutcome(text: string): ToolOutcome {
  if (!FAILURE.test(text.slice(0, 200))) return { ok: true, text }
  const reason = text.split('\n').find((line) => line.trim() !== '') ?? 'no reason was given'
  return { ok: false, reason: reason.trim().slice(0, 240) }
}

const MATERIAL_START =
  /^(?:#{1,4}\s*)?(?:(?:result|output|answer|finding)s?\s+(?:of|from|by)\b|step-\d+\b|agent-\d+\b|evidence\b|\[step-\d+|<(?:result|output|step|evidence|input)s?\b|from\s+(?:step|agent)-\d+|inputs?\s+from\b|(?:earlier|previous) (?:results|outputs)\b)/i

/** The objective is what stands before the first line that introduces somebody's result. */
function splitMaterial(text: string): { objective: string; material: string } {
  const lines = text.split('\n')
  let index = lines.findIndex((line, position) => position > 0 && MATERIAL_START.test(line.trim()))
  if (index < 0) index = lines.findIndex((line, position) => position > 0 && CITED_LINE.test(line))
  if (index < 0) index = lines.findIndex((line, position) => position > 0 && RECORDED_CALL.test(line))
  if (index < 0) return { objective: text.trim(), material: '' }
  return { objective: lines.slice(0, index).join('\n').trim(), material: lines.slice(index).join('\n').trim() }
}

/** A line that ends with a citation in brackets. */
export const CITED_LINE = /\((?:[^()\s]+(?::\d+(?:-\d+)?|\/)(?:, )?)+\)\s*\.?$/

const RECORDED_CALL = /^\W*([a-z][\w.-]*)\s*\(?(\{.*\})\)?\W*$/

/** Tool results that a message quotes, each under a line with the tool's id and its arguments as JSON. */
function* readRecordedCalls(material: string): Generator<[string, ToolOutcome]> {
  let key: string | undefined
  let body: string[] = []
  for (const line of [...material.split('\n'), 'end {}']) {
    const match = RECORDED_CALL.exec(line)
    if (!match) {
      body.push(line)
      continue
    }
    if (key !== undefined) yield [key, readOutcome(body.join('\n').trim())]
    key = undefined
    body = []
    try {
      key = callKey(match[1] ?? '', JSON.parse(match[2] ?? ''))
    } catch {
      // not a call: the line is text like any other
      body.push(line)
    }
  }
}
