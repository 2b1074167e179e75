import type { ClientTool, RunCreate } from '@svc/core'
import { wrongField } from './content.ts'
import type { ToolChoice, ToolParam } from './schemas.ts'

type Schema = NonNullable<RunCreate['outputSchema']>

/** What a request says of tools. */
export interface ReadTools {
  /** Offered to the agents. */
  clientTools: ClientTool[]
  /** The answer has to be a call of one of these. */
  forced: ClientTool[]
}

/**
 * Reads the tools of a client, and which of them it asks for.
 *
 * @throws ValidationError for a tool without a schema: those that Anthropic has
 */
export function readTools(tools: readonly ToolParam[] = [], choice?: ToolChoice): ReadTools {
  const known = tools.map(toClientTool)
  if (choice?.type === 'none') return { clientTools: [], forced: [] }
  if (choice?.type === 'auto' || choice === undefined) return { clientTools: known, forced: [] }
  const forced = choice.type === 'any' ? known : known.filter(({ name }) => name === choice.name)
  if (forced.length > 0) return { clientTools: [], forced }
  const names = known.map(({ name }) => name).join(', ')
  throw choice.type === 'any'
    ? wrongField('/tools', 'must not be empty where tool_choice is any')
    : wrongField('/tool_choice/name', `must be one of the tools: ${names.slice(0, 500) || 'there are none'}`)
}

function toClientTool({ type, name, description, input_schema }: ToolParam, index: number): ClientTool {
  const at = `/tools/${index}`
  if (type !== undefined && type !== null && type !== 'custom') {
    const given = JSON.stringify(type.slice(0, 100))
    throw wrongField(`${at}/type`, `must be custom, not ${given}: that is a tool of Anthropic's, and svc has its own`)
  }
  if (name === undefined) throw wrongField(`${at}/name`, 'is required')
  if (input_schema === undefined) throw wrongField(`${at}/input_schema`, 'is required')
  return { name, ...(typeof description === 'string' && { description }), parameters: input_schema as Schema }
}

/** A call as an answer of a run. */
export interface ForcedCall {
  name: string
  input: unknown
}

/** The form of an answer that is a call of one of these tools. */
export function toForcedSchema(forced: readonly ClientTool[]): Schema {
  const [only] = forced
  if (only !== undefined && forced.length === 1) return { type: 'object', ...only.parameters }
  // The schemas of the inputs stand in the instructions: references in them hold from the top of a schema alone.
  return {
    type: 'object',
    properties: { tool: { enum: forced.map(({ name }) => name) }, input: { type: 'object' } },
    required: ['tool', 'input'],
  }
}

/** The call that an answer of that form is. */
export function toForcedCall(forced: readonly ClientTool[], output: unknown): ForcedCall {
  const [only] = forced
  if (only !== undefined && forced.length === 1) return { name: only.name, input: output }
  const { tool, input } = output as { tool: string; input: unknown }
  return { name: tool, input }
}

/** What the agents are asked for, beside the form. */
export function toForcedInstructions(forced: readonly ClientTool[]): string {
  if (forced.length === 1)
    return `Your answer is the input, as JSON, for a call of this tool:\n${forced.map(describeTool).join('\n')}`
  const described = forced.map((tool) => `${describeTool(tool)}\n  ${JSON.stringify(tool.parameters)}`)
  return `Your answer is a call of one of these tools, as JSON with its name and its input:\n${described.join('\n')}`
}

const describeTool = ({ name, description }: ClientTool): string => `- ${name}${description ? `: ${description}` : ''}`
