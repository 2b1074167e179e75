import type { JsonSchema } from '../../contracts/schema.ts'
import type { StandardSchema, Tool } from '../../contracts/tool.ts'
import type { FieldError } from '../../errors.ts'
import { findErrors } from '../../validate.ts'

const isStandard = (parameters: Tool['parameters']): parameters is StandardSchema => '~standard' in parameters

/** The JSON Schema that a model is shown; a Standard Schema that cannot say its own becomes "any object". */
export function toJsonSchema(parameters: Tool['parameters']): JsonSchema {
  if (!isStandard(parameters)) return parameters
  const withJson = parameters as { toJSONSchema?: () => JsonSchema; toJsonSchema?: () => JsonSchema }
  return withJson.toJSONSchema?.() ?? withJson.toJsonSchema?.() ?? { type: 'object' }
}

/** Checked arguments, or what is wrong with them. */
export async function checkArguments(
  tool: Tool,
  args: unknown,
): Promise<{ args: unknown; errors?: undefined } | { errors: FieldError[] }> {
  if (typeof args === 'string') {
    return { errors: [{ path: '', message: `the arguments are not valid JSON: ${args.slice(0, 200)}` }] }
  }
  const given = args ?? {}
  if (isStandard(tool.parameters)) {
    const result = await tool.parameters['~standard'].validate(given)
    if (result.issues === undefined) return { args: result.value }
    return {
      errors: result.issues.map(({ message, path = [] }) => ({
        path: path.map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join(''),
        message,
      })),
    }
  }
  const errors = findErrors(tool.parameters, given)
  return errors.length === 0 ? { args: given } : { errors }
}
