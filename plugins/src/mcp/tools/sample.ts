import { type ContentPart, type Message, type ToolContext, ToolError } from '@svc/core'
import type { McpBlock, McpPending, McpSampled, McpSampling } from '../types.ts'

const MOST_SHOWN = 2_000
const MOST_TOKENS = 4_096

/**
 * Has a model answer what a server asks it, where a person allows that.
 *
 * @throws ToolError `tool_failed` where nobody does; as `ToolContext.model`
 */
export async function sampleForServer(
  server: string,
  { messages, system, maxTokens, temperature }: McpSampling,
  { ask, model }: ToolContext,
  from: McpPending | undefined,
): Promise<McpSampled> {
  const asked = messages.map(({ role, content }): Message => ({ role, content: content.map(toPart) }))
  const shown = JSON.stringify([...(system === undefined ? [] : [system]), ...messages.map(({ content }) => content)])
  const prompt = `The MCP server "${server}" wants a model to answer this, at your cost: ${shown.slice(0, MOST_SHOWN)}\n\nAnswer true to allow it.`
  const resolution = await ask({ kind: 'input', prompt, schema: { type: 'boolean' } }, from)
  const isAllowed = resolution.kind === 'input' && resolution.value === true
  if (!isAllowed || model === undefined)
    throw new ToolError('tool_failed', 'a model may not be asked: nobody allowed it')
  const answer = await model({
    messages: [...(system === undefined ? [] : [{ role: 'system' as const, content: [textPart(system)] }]), ...asked],
    maxOutputTokens: Math.min(MOST_TOKENS, Number.isFinite(maxTokens) && maxTokens > 0 ? maxTokens : MOST_TOKENS),
    ...(temperature !== undefined && { temperature }),
  })
  return {
    model: answer.model,
    text: answer.text,
    stopReason: answer.finishReason === 'length' ? 'maxTokens' : 'endTurn',
  }
}

const textPart = (text: string): ContentPart => ({ type: 'text', text })

const toPart = (block: McpBlock): ContentPart =>
  block.type === 'text'
    ? textPart(block.text)
    : block.type === 'image'
      ? { type: 'image', mimeType: block.mimeType, data: block.data }
      : textPart(`[${block.type}]`)
