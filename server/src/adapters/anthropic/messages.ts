import type { ClientResult, ClientTool, ContentPart } from '@svc/core'
import { toFullText } from '@svc/core/text'
import { type ClientMessage, type Conversation, readConversation } from '../shared/conversation.ts'
import { refuse, textOf } from '../shared/fields.ts'
import { isMaterial, partsOf, toParts } from './content.ts'
import type { Block, MessageParam, MessagesBody } from './schemas.ts'

type Assistant = ClientMessage & { role: 'assistant' }
type Result = ClientMessage & { role: 'tool' }

/**
 * Reads the messages of a request, each block of them.
 *
 * @throws ValidationError that names the field
 */
export function toClientMessages(messages: readonly MessageParam[], system?: MessagesBody['system']): ClientMessage[] {
  const said: ClientMessage[] = []
  const prompt = typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n\n')
  if (prompt.trim() !== '') said.push({ role: 'system', text: prompt })
  /** Of the assistant's newest message. */
  let calls: ReadonlySet<string> | undefined
  for (const [index, { role, content }] of messages.entries()) {
    const path = `/messages/${index}/content`
    if (role === 'system') said.push({ role, text: toFullText(partsOf(content, path)) })
    else if (role === 'user') said.push(...readUser(content, path, calls))
    else {
      const answer = readAssistant(content, path)
      calls = new Set(answer.calls?.map(({ id }) => id))
      said.push(answer)
    }
  }
  return said
}

/**
 * The conversation that messages are. What a user says beside results of tools goes with the last of them to the run that waits,
 * and is a task of its own where none does.
 *
 * @throws ValidationError where the last message is none of the user
 */
export function toConversation(messages: readonly ClientMessage[], tools: readonly ClientTool[] = []): Conversation {
  const conversation = readConversation(messages, tools)
  return conversation.results.length > 0 ? conversation : { ...conversation, results: resultsOf(messages) }
}

/** The results that the last messages of the user hold, with what is said beside them. */
export function resultsOf(messages: readonly ClientMessage[]): ClientResult[] {
  const last = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  const results = last.filter((message) => message.role === 'tool')
  const beside = last.flatMap((message): ContentPart[] => {
    if (message.role !== 'user') return []
    const { text, media = [] } = message
    return [...(text === '' ? [] : [{ type: 'text' as const, text: `The user says:\n${text}` }]), ...media]
  })
  return results.map(({ callId, content, isError }, index) => {
    const parts: ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const isLast = index === results.length - 1
    return { id: callId, content: isLast ? [...parts, ...beside] : parts, ...(isError && { isError }) }
  })
}

/** @param calls those that the message may answer; undefined: the message before is not in the request */
function readUser(content: string | Block[], path: string, calls: ReadonlySet<string> | undefined): ClientMessage[] {
  if (typeof content === 'string') return [{ role: 'user', text: content }]
  const texts: string[] = []
  const media: ContentPart[] = []
  const results: Result[] = []
  for (const [index, block] of content.entries()) {
    const at = `${path}/${index}`
    if (block.type === 'text') texts.push(textOf(block.text, `${at}/text`))
    else if (isMaterial(block)) media.push(...toParts(block, at))
    else if (block.type === 'tool_result') results.push(readResult(block, at, calls))
    else {
      const known = 'text, image, document, search_result or tool_result'
      refuse(`${at}/type`, `must be ${known}, not ${JSON.stringify(block.type)}`)
    }
  }
  const text = texts.filter((part) => part !== '').join('\n\n')
  if (text === '' && media.length === 0 && results.length > 0) return results
  return [...results, { role: 'user', text, ...(media.length > 0 && { media }) }]
}

function readResult(block: Block, path: string, calls: ReadonlySet<string> | undefined): Result {
  const callId = textOf(block.tool_use_id, `${path}/tool_use_id`)
  if (calls?.has(callId) === false)
    refuse(`${path}/tool_use_id`, `must be the id of a tool_use of the message before, not ${callId.slice(0, 100)}`)
  const content = partsOf(block.content, `${path}/content`)
  return { role: 'tool', callId, content, ...(block.is_error === true && { isError: true }) }
}

/** What an assistant said and called. What it thought, and what servers of others did for it, is left out. */
function readAssistant(content: string | Block[], path: string): Assistant {
  if (typeof content === 'string') return { role: 'assistant', text: content }
  const texts: string[] = []
  const calls: NonNullable<Assistant['calls']> = []
  for (const [index, block] of content.entries()) {
    const at = `${path}/${index}`
    if (block.type === 'text') texts.push(textOf(block.text, `${at}/text`))
    if (block.type !== 'tool_use') continue
    calls.push({ id: textOf(block.id, `${at}/id`), name: textOf(block.name, `${at}/name`), args: block.input ?? {} })
  }
  const text = texts.filter((part) => part !== '').join('\n\n')
  return { role: 'assistant', text, ...(calls.length > 0 && { calls }) }
}
