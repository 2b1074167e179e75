import type { ContentPart, JsonSchema } from '@svc/core'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { type ClientMessage, type Conversation, readConversation } from '../shared/conversation.ts'
import { mediaOf, parsed, refuse } from '../shared/fields.ts'
import { readId } from '../shared/ids.ts'

const text = Type.Optional(Type.String())
const unknown = Type.Optional(Type.Unknown())

const Part = Type.Object({
  type: Type.String(),
  text,
  source: Type.Optional(Type.Object({ type: Type.String(), value: Type.String(), mimeType: text })),
})

const Message = Type.Object({
  id: Type.String(),
  role: Type.String(),
  content: Type.Optional(
    Type.Union([Type.String(), Type.Array(Part, { maxItems: 200 }), Type.Null(), Type.Object({})]),
  ),
  toolCalls: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.String(), function: Type.Object({ name: Type.String(), arguments: Type.String() }) }),
    ),
  ),
  toolCallId: text,
  error: text,
  metadata: unknown,
})
type Message = Static<typeof Message>

export const ResumeEntry = Type.Object({
  interruptId: Type.String({ minLength: 1, maxLength: 200 }),
  status: Type.Enum(['resolved', 'cancelled']),
  payload: unknown,
})
export type ResumeEntry = Static<typeof ResumeEntry>

/** `RunAgentInput`. Fields that are not known are ignored. */
export const RunAgentInput = Type.Object({
  threadId: Type.String({ minLength: 1, maxLength: 1_000 }),
  runId: Type.String({ minLength: 1, maxLength: 1_000 }),
  parentRunId: text,
  messages: Type.Array(Message, { maxItems: 10_000 }),
  tools: Type.Optional(Type.Array(Type.Object({ name: Type.String(), description: text, parameters: unknown }))),
  context: Type.Optional(Type.Array(Type.Object({ description: Type.String(), value: Type.String() }))),
  state: unknown,
  resume: Type.Optional(Type.Array(ResumeEntry, { maxItems: 200 })),
})
export type RunAgentInput = Static<typeof RunAgentInput>

/** What a request says, without what the page was only shown: calls of svc's own tools, drafts, reasoning, activities. */
export function toMessages(messages: readonly Message[]): ClientMessage[] {
  const last = new Map<string | undefined, number>()
  for (const [at, { role, id, content }] of messages.entries())
    if (role === 'assistant' && typeof content === 'string' && content !== '') last.set(runIdOf(id), at)
  return messages.flatMap((message, at): ClientMessage[] => {
    const path = `/messages/${at}`
    const { id, role, content } = message
    if (role === 'system' || role === 'developer') return [{ role: 'system', text: plain(content, path) }]
    if (role === 'user') return [toUser(message, path)]
    if (role === 'tool') return isOwn(message.toolCallId) ? [] : [toResult(message, path)]
    if (role !== 'assistant') return []
    const calls = (message.toolCalls ?? []).filter((call) => !isOwn(call.id)).map(toCall)
    // Of the texts of a run the last one is the answer.
    const isPassed = runIdOf(id) !== undefined && last.get(runIdOf(id)) !== at
    const said = calls.length === 0 && isPassed ? '' : plain(content ?? '', path)
    return said === '' && calls.length === 0
      ? []
      : [{ role: 'assistant', text: said, ...(calls.length > 0 && { calls }) }]
  })
}

/** @throws ValidationError where the user says nothing */
export function toConversation({ messages, tools = [], context = [] }: RunAgentInput): Conversation {
  const conversation = readConversation(toMessages(messages), tools.map(toTool))
  const material = context.map(
    ({ description, value }): ContentPart => ({ type: 'text', text: `${description}:\n${value}` }),
  )
  return { ...conversation, media: [...material, ...conversation.media] }
}

/** The run whose message, call or question has this id; undefined for what is none of svc's. */
const runIdOf = (id: string): string | undefined => readId(id, 'msg', 'tool', 'input')?.runId

const isOwn = (id: string | undefined): boolean => id !== undefined && runIdOf(id) !== undefined

function toTool({
  name,
  description,
  parameters,
}: NonNullable<RunAgentInput['tools']>[number]): Conversation['tools'][number] {
  const hasParameters = typeof parameters === 'object' && parameters !== null
  return { name, ...(description && { description }), ...(hasParameters && { parameters: parameters as JsonSchema }) }
}

function toCall({ id, function: { name, arguments: args } }: NonNullable<Message['toolCalls']>[number]): {
  id: string
  name: string
  args: unknown
} {
  return { id, name, args: parsed(args) }
}

function plain(content: Message['content'], path: string): string {
  if (typeof content === 'string') return content
  const parts = partsIn(content, path)
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join('\n')
  return refuse(`${path}/content`, 'must be a text')
}

function toUser({ content }: Message, path: string): ClientMessage {
  if (typeof content === 'string') return { role: 'user', text: content }
  const parts = partsIn(content, path)
  const said = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const media = parts.filter((part) => part.type !== 'text')
  return { role: 'user', text: said.join('\n'), ...(media.length > 0 && { media }) }
}

function toResult({ content, toolCallId, error }: Message, path: string): ClientMessage {
  if (toolCallId === undefined) return refuse(`${path}/toolCallId`, 'is required')
  const said = typeof content === 'string' ? content : partsIn(content, path)
  return { role: 'tool', callId: toolCallId, content: said, ...(error !== undefined && { isError: true }) }
}

function partsIn(content: Message['content'], path: string): ContentPart[] {
  if (!Array.isArray(content)) return refuse(`${path}/content`, 'must be a text, or a list of parts')
  return (content as Static<typeof Part>[]).map((part, at) => toPart(part, `${path}/content/${at}`))
}

function toPart({ type, text: said, source }: Static<typeof Part>, path: string): ContentPart {
  if (type === 'text') return { type, text: said ?? '' }
  if (type !== 'image' && type !== 'document')
    return refuse(`${path}/type`, `"${type.slice(0, 50)}" is not read: send text, image or document`)
  if (source === undefined) return refuse(`${path}/source`, 'is required')
  if (source.type !== 'data')
    return refuse(`${path}/source/type`, 'must be "data", with the file in base64: nothing is fetched')
  const { value: data, mimeType = type === 'image' ? 'image/png' : 'application/pdf' } = source
  return mediaOf({ type: type === 'image' ? 'image' : 'file', mimeType, data }, `${path}/source`)
}
