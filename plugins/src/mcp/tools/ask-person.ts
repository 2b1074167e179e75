import type { JsonSchema, Resolution, ToolContext } from '@svc/core'
import type { McpAnswer, McpQuestion } from '../types.ts'

const MOST_CHARS = 4_000

/** Asks a person what a server wants to know. @param from as `ToolContext.ask` has it */
export async function askForServer(
  server: string,
  { message, schema, url }: McpQuestion,
  ask: ToolContext['ask'],
  from: unknown,
): Promise<McpAnswer> {
  // Who asks is said by svc, not by the server.
  const asks = `The MCP server "${server}" asks: ${message.slice(0, MOST_CHARS)}`
  if (url !== undefined) {
    const prompt = `${asks}\n\nIt wants you to open this address by yourself: ${url.slice(0, MOST_CHARS)}\nAnswer true when you have done so, false where you will not.`
    const resolution = await ask({ kind: 'input', prompt, schema: { type: ['boolean', 'null'] } }, from)
    return { action: actionOf(resolution, resolution.kind === 'input' && resolution.value === true) }
  }
  const wanted = schema ?? { type: 'object' }
  const prompt = `${asks}\n\nAnswer null to refuse.`
  const resolution = await ask(
    { kind: 'input', prompt, schema: { anyOf: [wanted, { type: 'null' }] } as JsonSchema },
    from,
  )
  const value = resolution.kind === 'input' ? resolution.value : null
  const isGiven = typeof value === 'object' && value !== null
  const content = isGiven ? { content: value as NonNullable<McpAnswer['content']> } : {}
  return { action: actionOf(resolution, isGiven), ...content }
}

const actionOf = ({ kind }: Resolution, isGiven: boolean): McpAnswer['action'] =>
  kind === 'expired' ? 'cancel' : isGiven ? 'accept' : 'decline'
