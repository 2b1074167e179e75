import type { ClientTool, JsonSchema } from '@svc/core'
import { refuse } from '../shared/fields.ts'
import type { ToolChoice, ToolParam } from './schemas.ts'

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
  return choice.type === 'any'
    ? refuse('/tools', 'must not be empty where tool_choice is any')
    : refuse('/tool_choice/name', `must be one of the tools: ${names.slice(0, 500) || 'there are none'}`)
}

function toClientTool({ type, name, description, input_schema }: ToolParam, index: number): ClientTool {
  const at = `/tools/${index}`
  if (type !== undefined && type !== null && type !== 'custom') {
    const given = JSON.stringify(type.slice(0, 100))
    refuse(`${at}/type`, `must be custom, not ${given}: that is a tool of Anthropic's, and svc has its own`)
  }
  if (name === undefined) return refuse(`${at}/name`, 'is required')
  if (input_schema === undefined) return refuse(`${at}/input_schema`, 'is required')
  return { name, ...(typeof description === 'string' && { description }), parameters: input_schema as JsonSchema }
}
