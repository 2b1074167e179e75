import type { ContentPart } from '@svc/core'
import type { ClientMessage } from '../../shared/conversation.ts'
import { objectOf, parsed, refuse, textOf } from '../../shared/fields.ts'
import { readContent } from '../asked/content.ts'

/** What a client says of a call that needs approval. */
export interface ApprovalAnswer {
  id: string
  isApproved: boolean
  note?: string
}

/** The input of a response, sorted. */
export interface Input {
  messages: ClientMessage[]
  approvals: ApprovalAnswer[]
}

/** More than any conversation that fits. */
const MOST = 10_000

type Fields = Readonly<Record<string, unknown>>

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer'])
/** What earlier answers had beside what was said. */
const IGNORED: ReadonlySet<unknown> = new Set(['reasoning', 'mcp_approval_request'])

/**
 * The input of a response: a text, or messages, function calls, what they have come to, and answers to approvals. Reasoning is
 * left out.
 *
 * @throws ValidationError for other items
 */
export function readInput(input: unknown): Input {
  if (typeof input === 'string') return { messages: [{ role: 'user', text: input }], approvals: [] }
  if (input === undefined || input === null) return { messages: [], approvals: [] }
  if (!Array.isArray(input)) return refuse('/input', 'must be a text or a list of items')
  if (input.length > MOST) refuse('/input', `may have at most ${MOST} items`)
  const read: Input = { messages: [], approvals: [] }
  for (const [index, item] of input.entries()) addItem(read, objectOf(item, `/input/${index}`), `/input/${index}`)
  return read
}

function addItem({ messages, approvals }: Input, item: Fields, at: string): void {
  const { type = 'message' } = item
  if (IGNORED.has(type)) return
  if (type === 'message') messages.push(toMessage(item, at))
  else if (type === 'function_call') addCall(messages, item, at)
  else if (type === 'function_call_output') messages.push(toResult(item, at))
  else if (type === 'mcp_approval_response') approvals.push(toAnswer(item, at))
  else refuse(`${at}/type`, `is not supported: ${JSON.stringify(type).slice(0, 100)}`)
}

function toMessage({ role, content }: Fields, at: string): ClientMessage {
  if (!ROLES.has(role)) return refuse(`${at}/role`, 'must be "user", "assistant", "system" or "developer"')
  const { text, media } = readContent(content, `${at}/content`)
  if (role === 'user') return { role, text, media }
  if (media.length > 0) refuse(`${at}/content`, `of the role ${role} must be text`)
  return { role: role === 'assistant' ? role : 'system', text }
}

/** Calls belong to what was said before them. */
function addCall(messages: ClientMessage[], item: Fields, at: string): void {
  const call = {
    id: textOf(item.call_id, `${at}/call_id`),
    name: textOf(item.name, `${at}/name`),
    args: parsed(textOf(item.arguments, `${at}/arguments`)),
  }
  const last = messages.at(-1)
  if (last?.role === 'assistant') last.calls = [...(last.calls ?? []), call]
  else messages.push({ role: 'assistant', text: '', calls: [call] })
}

function toResult({ call_id, output }: Fields, at: string): ClientMessage {
  const { text, media } = readContent(output, `${at}/output`)
  const content: string | ContentPart[] = media.length === 0 ? text : [{ type: 'text', text }, ...media]
  return { role: 'tool', callId: textOf(call_id, `${at}/call_id`), content }
}

function toAnswer({ approval_request_id, approve, reason }: Fields, at: string): ApprovalAnswer {
  if (typeof approve !== 'boolean') return refuse(`${at}/approve`, 'must be true or false')
  return {
    id: textOf(approval_request_id, `${at}/approval_request_id`),
    isApproved: approve,
    ...(typeof reason === 'string' && reason !== '' && { note: reason.slice(0, 1_000) }),
  }
}
