import type { ClientResult, ClientTool, ContentPart, GivenTurn, RunCreate } from '@svc/core'
import { refuse } from './fields.ts'

/** A message of a client, whatever its protocol calls it. */
export type ClientMessage =
  | { role: 'system'; text: string }
  | { role: 'user'; text: string; media?: ContentPart[] }
  | { role: 'assistant'; text: string; calls?: { id: string; name: string; args: unknown }[] }
  | { role: 'tool'; callId: string; content: string | ContentPart[]; isError?: boolean }

/** What a request of a client brings along: what was said, and its tools. */
export interface Conversation {
  /** Texts of the system, in order. */
  instructions: readonly string[]
  /** Before the task. */
  turns: readonly GivenTurn[]
  /** What the user said last. */
  task: string
  media: readonly ContentPart[]
  /** Behind the task: what was called for it, with what came of it. */
  called: readonly string[]
  /** The newest of these: results of calls that a run may wait for. */
  results: readonly ClientResult[]
  tools: readonly ClientTool[]
}

/**
 * Reads a whole conversation: the last message of the user is the task.
 *
 * @param field what its messages are called, for errors
 * @throws ValidationError where the user said nothing, or the assistant had the last word
 */
export function readConversation(
  messages: readonly ClientMessage[],
  tools: readonly ClientTool[] = [],
  field = 'messages',
): Conversation {
  const said = joinUsers(messages.filter((message) => message.role !== 'system'))
  const last = said.at(-1)
  const at = said.findLastIndex(({ role }) => role === 'user')
  const asked = said[at]
  if (asked?.role !== 'user') return refuse(`/${field}`, 'must hold a message of the user')
  if (last?.role === 'assistant') refuse(`/${field}`, 'must end with a message of the user, or with results of tools')
  const results = said.slice(said.findLastIndex(({ role }) => role !== 'tool') + 1)
  return {
    instructions: messages.flatMap((message) => (message.role === 'system' ? [message.text] : [])),
    turns: toTurns(said.slice(0, at)),
    task: asked.text,
    media: asked.media ?? [],
    called: toTurns(said.slice(at + 1)).flatMap(inWords),
    results: results.flatMap((message) => (message.role === 'tool' ? [toResult(message)] : [])),
    tools,
  }
}

/** What is asked of a run for a conversation; `options` go before what it says. */
export function toRunCreate(
  { instructions, turns, task, media, called, tools }: Conversation,
  options: Partial<RunCreate> = {},
): RunCreate {
  const before = called.length === 0 ? [] : [`Called for this already:\n${called.join('\n')}`]
  const context: ContentPart[] = [...media, ...before.map((text) => ({ type: 'text' as const, text }))]
  return {
    task: task.trim() === '' && media.length > 0 ? 'Answer what the images and files ask.' : task,
    ...(context.length > 0 && { context }),
    ...(turns.length > 0 && options.threadId === undefined && { turns: [...turns] }),
    ...(instructions.length > 0 && { instructions: instructions.join('\n\n') }),
    ...(tools.length > 0 && { clientTools: [...tools] }),
    ...options,
  }
}

/** Messages of the user that follow each other are one. Each text is copied once, however many there are. */
function joinUsers(messages: readonly ClientMessage[]): ClientMessage[] {
  const joined: ClientMessage[] = []
  let texts: string[] = []
  let media: ContentPart[] = []
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'user') {
      joined.push(message)
      continue
    }
    texts.push(message.text)
    for (const part of message.media ?? []) media.push(part)
    if (messages[at + 1]?.role === 'user') continue
    joined.push({ role: 'user', text: texts.filter((text) => text !== '').join('\n\n'), media })
    texts = []
    media = []
  }
  return joined
}

function toTurns(messages: readonly ClientMessage[]): GivenTurn[] {
  const results = new Map(messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message]] : [])))
  return messages.flatMap((message): GivenTurn[] => {
    if (message.role === 'user')
      return [{ role: 'user', content: message.text, ...(message.media?.length && { context: message.media }) }]
    if (message.role !== 'assistant') return []
    const calls = (message.calls ?? []).map(({ id, name, args }) => {
      const result = results.get(id)
      return { callId: id, tool: name, args, result: result === undefined ? '[no result]' : textOf(result.content) }
    })
    return [{ role: 'assistant', content: message.text, ...(calls.length > 0 && { calls }) }]
  })
}

/** A turn in a line or two, where no messages of it are sent. */
export const inWords = ({ content, calls = [] }: GivenTurn): string[] => [
  ...(content === '' ? [] : [content]),
  ...calls.map(({ tool, args, result }) => `${tool} with ${JSON.stringify(args)}: ${result}`),
]

/** What came of a call, as a run is given it. */
export const toResult = ({ callId, content, isError }: ClientMessage & { role: 'tool' }): ClientResult => ({
  id: callId,
  content,
  ...(isError && { isError }),
})

/** Content as text; images and files in words. */
export const textOf = (content: string | readonly ContentPart[]): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) =>
          part.type === 'text' ? part.text : part.type === 'json' ? JSON.stringify(part.json) : `[${part.mimeType}]`,
        )
        .join('\n')
