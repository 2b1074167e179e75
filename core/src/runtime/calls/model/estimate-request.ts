import type { Message, ToolCall } from '../../../contracts/model/message.ts'
import { toText } from '../../../contracts/model/message-text.ts'
import type { ModelRequest } from '../../../contracts/model/model.ts'
import { estimateTokens } from '../../../text/estimate-tokens.ts'
import { estimateMedia, isMedia } from '../../../text/media/media.ts'

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
  for (const part of content) if (isMedia(part)) tokens += estimateMedia(part)
  if (toolCalls === undefined) return tokens
  for (const { tool, args } of toolCalls)
    tokens += 8 + estimateTokens(tool) + estimateTokens(JSON.stringify(args) ?? '')
  return tokens
}

/** What goes along with every message. */
function estimateFrame({ tools, outputSchema }: ModelRequest): number {
  const ofTools = tools === undefined || tools.length === 0 ? 0 : estimateTools(tools)
  return ofTools + (outputSchema === undefined ? 0 : estimateJson(outputSchema))
}

type ToolSpecs = NonNullable<ModelRequest['tools']>

/** The tools that were offered last, by the parameters of the first: runs offer the same tools in lists of their own. */
const offered = new WeakMap<object, { tools: ToolSpecs; tokens: number }>()

function estimateTools(tools: ToolSpecs): number {
  const parameters: object = Object(tools[0]?.parameters) // plugins without types may leave them out
  const known = offered.get(parameters)
  if (known !== undefined && areSame(known.tools, tools)) return known.tokens
  const tokens = estimateTokens(JSON.stringify(tools))
  offered.set(parameters, { tools, tokens })
  return tokens
}

const areSame = (tools: ToolSpecs, others: ToolSpecs): boolean =>
  tools.length === others.length &&
  tools.every((tool, at) => {
    const { id, description, parameters } = others[at] as ToolSpecs[number]
    return tool.id === id && tool.description === description && tool.parameters === parameters
  })

/** A schema is the same object in every turn of an agent. */
const estimates = new WeakMap<object, number>()

function estimateJson(schema: object): number {
  let tokens = estimates.get(schema)
  if (tokens === undefined) {
    tokens = estimateTokens(JSON.stringify(schema))
    estimates.set(schema, tokens)
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
