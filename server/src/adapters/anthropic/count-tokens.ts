import type { ContentPart } from '@svc/core'
import { estimateMedia, estimateTokens, mediaOf, toFullText } from '@svc/core/text'
import type { ClientMessage } from '../shared/conversation.ts'
import { toClientMessages } from './messages.ts'
import type { CountTokensBody } from './schemas.ts'
import { readTools } from './tools.ts'

/** What a message, and a call, take beside their texts. */
const MESSAGE_TOKENS = 4
const CALL_TOKENS = 8

/**
 * The tokens of a request as svc estimates them: instructions, messages, images, documents and tools. What svc adds for its
 * agents is not counted.
 *
 * @throws ValidationError where the request itself would be refused
 */
export function countTokens({ messages, system, tools, tool_choice }: CountTokensBody): number {
  const { clientTools, forced } = readTools(tools, tool_choice)
  const offered = [...clientTools, ...forced]
  const said = toClientMessages(messages, system)
  return said.reduce(
    (sum, message) => sum + tokensOf(message),
    offered.length === 0 ? 0 : estimateTokens(JSON.stringify(offered)),
  )
}

function tokensOf(message: ClientMessage): number {
  if (message.role === 'tool') return MESSAGE_TOKENS + tokensOfParts(message.content)
  const own = MESSAGE_TOKENS + estimateTokens(message.text)
  if (message.role === 'user') return own + tokensOfParts(message.media ?? [])
  if (message.role === 'system') return own
  return (message.calls ?? []).reduce(
    (sum, { name, args }) => sum + CALL_TOKENS + estimateTokens(`${name} ${JSON.stringify(args)}`),
    own,
  )
}

const tokensOfParts = (content: string | ContentPart[]): number =>
  estimateTokens(toFullText(content)) + mediaOf(content).reduce((sum, part) => sum + estimateMedia(part), 0)
