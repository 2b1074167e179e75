import type { Tool } from '../../../contracts/tool/tool.ts'
import { type FieldError, ToolError } from '../../../errors.ts'
import { describeErrors } from '../../../text/describe-errors.ts'
import { checkBySchema, isPlain } from '../../json-schema.ts'

/** The arguments of a call. */
export interface Arguments {
  /** As the tool gets them: of a schema that transforms, anything. */
  args: unknown
  /** As JSON: what is shown, recorded, held against rules, and known again. */
  shown: unknown
}

/** Arguments as a tool takes them, or what is wrong with them. */
export async function checkArguments(
  tool: Tool,
  given: unknown,
): Promise<(Arguments & { errors?: undefined }) | { errors: FieldError[] }> {
  if (typeof given === 'string') {
    return { errors: [{ path: '', message: `the arguments are not valid JSON: ${given.slice(0, 200)}` }] }
  }
  const { value, errors } = await checkBySchema(tool.parameters, given ?? {})
  if (errors !== undefined) return { errors }
  // JSON says nothing of what is in a set, or a map: one call would look like another.
  return { args: value, shown: isJson(value) ? value : (given ?? {}) }
}

/** @throws ToolError `tool_bad_args` */
export async function readArguments(tool: Tool, given: unknown): Promise<Arguments> {
  const checked = await checkArguments(tool, given)
  if (checked.errors === undefined) return checked
  throw new ToolError('tool_bad_args', `${tool.id}: ${describeErrors(checked.errors, 'arguments')}`)
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return ['string', 'boolean'].includes(typeof value) || value === null
  return isPlain(value) && Object.values(value).every((item) => item === undefined || isJson(item))
}
