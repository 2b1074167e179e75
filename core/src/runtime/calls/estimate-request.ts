import type { Message, ToolCall } from '../../contracts/message.ts'
import { toText } from '../../contracts/message.ts'
import type { ModelRequest } from '../../contracts/model.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'

/** The tokens that a request will take as input, estimated. */
export const estimateRequest = (request: ModelRequest): number =>
  estimateMessages(request.messages, 0) + estimateFrame(request)

/** Estimates the requests of conversations, agent by agent: what a turn sends again is not estimated again. */
export class RequestEstimates {
  readonly #last = new Map<string, { messages: readonly Message[]; count: number; tokens: number }>()

  /** The same as `estimateRequest`. */
  of(agentId: string, request: ModelRequest): number {
    const { messages } = request
    const before = this.#last.get(agentId)
    const isLonger = before !== undefined && startsWith(messages, before.messages, before.count)
    const tokens = isLonger ? before.tokens + estimateMessages(messages, before.count) : estimateMessages(messages, 0)
    this.#last.set(agentId, { messages, count: messages.length, tokens })
    return tokens + estimateFrame(request)
  }
}

/** Whether a conversation begins with the same messages as another, which had `count`. */
function startsWith(messages: readonly Message[], others: readonly Message[], count: number): boolean {
  if (messages.length < count) return false
  for (let at = 0; at < count; at++) if (messages[at] !== others[at]) return false
  return true
}

function estimateMessages(messages: readonly Message[], from: number): number {
  let tokens = 0
  for (let at = from; at < messages.length; at++) tokens += estimateMessage(messages[at] as Message)
  return tokens
}

function estimateMessage({ content, toolCalls }: Message): number {
  let tokens = 4 + estimateTokens(toText(content))
  for (const part of content) if (part.type === 'image') tokens += 1_000
  if (toolCalls === undefined) return tokens
  for (const { tool, args } of toolCalls)
    tokens += 8 + estimateTokens(tool) + estimateTokens(JSON.stringify(args) ?? '')
  return tokens
}

/** What goes along with every message. */
function estimateFrame({ tools, outputSchema }: ModelRequest): number {
  const ofTools = tools === undefined || tools.length === 0 ? 0 : estimateJson(tools)
  return ofTools + (outputSchema === undefined ? 0 : estimateJson(outputSchema))
}

/** Tools and schemas are the same objects in every turn of an agent. */
const estimates = new WeakMap<object, number>()

function estimateJson(part: object): number {
  let tokens = estimates.get(part)
  if (tokens === undefined) {
    tokens = estimateTokens(JSON.stringify(part))
    estimates.set(part, tokens)
  }
  return tokens
}

/** The tokens of an answer, estimated. */
export function estimateOutput(answer: { text: string; reasoning: string; toolCalls: readonly ToolCall[] }): number {
  const { text, reasoning, toolCalls } = answer
  const said = estimateTokens(text) + (reasoning === '' ? 0 : estimateTokens(reasoning))
  if (toolCalls.length === 0) return said
  return said + estimateTokens(toolCalls.map(({ tool, args }) => `${tool}${JSON.stringify(args) ?? ''}`).join(''))
}
