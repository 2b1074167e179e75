import type { StandardResult, Tool } from '../../../contracts/tool/tool.ts'
import { type FieldError, toSvcError } from '../../../errors.ts'
import { findErrors } from '../../../validate.ts'
import { isStandard } from '../../json-schema.ts'

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
    let result: StandardResult
    try {
      result = await tool.parameters['~standard'].validate(given)
    } catch (thrown) {
      return { errors: [{ path: '', message: `could not be checked: ${toSvcError(thrown).message}` }] }
    }
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
