import type { ClientTool, JsonSchema } from '@svc/core'

/** The form of an answer that is a call of one of these tools. */
export function toForcedSchema(forced: readonly ClientTool[]): JsonSchema {
  const [only] = forced
  if (only !== undefined && forced.length === 1) return { type: 'object', ...only.parameters }
  // The schemas of the inputs stand in the instructions: references in them hold from the top of a schema alone.
  return {
    type: 'object',
    properties: { tool: { enum: forced.map(({ name }) => name) }, input: { type: 'object' } },
    required: ['tool', 'input'],
  }
}

/** The call that an answer of that form is. @param names of the tools */
export function toForcedCall(names: readonly string[], output: unknown): { name: string; args: unknown } {
  const [only] = names
  if (only !== undefined && names.length === 1) return { name: only, args: output }
  const { tool, input } = output as { tool: string; input: unknown }
  return { name: tool, args: input }
}

/** What the agents are asked for, beside the form. */
export function toForcedInstructions(forced: readonly ClientTool[]): string {
  if (forced.length === 1)
    return `Your answer is the input, as JSON, for a call of this tool:\n${forced.map(describeTool).join('\n')}`
  const described = forced.map((tool) => `${describeTool(tool)}\n  ${JSON.stringify(tool.parameters)}`)
  return `Your answer is a call of one of these tools, as JSON with its name and its input:\n${described.join('\n')}`
}

const describeTool = ({ name, description }: ClientTool): string => `- ${name}${description ? `: ${description}` : ''}`
