import { findErrors, ToolError } from '@svc/core'
import { describeErrors } from '@svc/core/text'
import type { Static, TSchema } from 'typebox'

/**
 * Arguments as a tool's schema describes them. The tool gateway has checked them already; a tool that is called by other
 * means is as safe.
 *
 * @throws ToolError `tool_bad_args` with a pointer and a sentence for each thing that is wrong
 */
export function checkArgs<Schema extends TSchema>(tool: string, schema: Schema, args: unknown): Static<Schema> {
  const errors = findErrors(schema, args)
  if (errors.length > 0) {
    throw new ToolError('tool_bad_args', `${tool}: ${describeErrors(errors)}`, { errors })
  }
  return args as Static<Schema>
}
