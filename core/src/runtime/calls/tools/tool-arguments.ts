import type { Tool } from '../../../contracts/tool/tool.ts'
import type { FieldError } from '../../../errors.ts'
import { checkBySchema } from '../../json-schema.ts'

/** Checked arguments, or what is wrong with them. */
export async function checkArguments(
  tool: Tool,
  args: unknown,
): Promise<{ args: unknown; errors?: undefined } | { errors: FieldError[] }> {
  if (typeof args === 'string') {
    return { errors: [{ path: '', message: `the arguments are not valid JSON: ${args.slice(0, 200)}` }] }
  }
  const { value, errors } = await checkBySchema(tool.parameters, args ?? {})
  return errors === undefined ? { args: value } : { errors }
}
