import type { ExecutionResult, FieldError, RunCreate, SchemaOutput } from '@svc/core/client'
import { checkByStandard, describeErrors, isStandard, toJsonSchema, ValidationError } from '@svc/core/client'

/** A result whose output is what the schema stands for. It is there where the run has completed. */
export type TypedResult<Schema extends object> = Omit<ExecutionResult, 'output'> & { output?: SchemaOutput<Schema> }

/** What a run is asked for with a schema of any kind, and how its output is read. */
export interface OutputReader {
  /** As the run is asked for it. */
  request: Pick<RunCreate, 'outputSchema'>
  /** What JSON Schema cannot say of an output; nothing where there is no more. */
  check?(value: unknown): Promise<readonly FieldError[]>
  /** The result with its output as the schema makes it, or incomplete where the schema refuses it. */
  read(result: ExecutionResult): Promise<ExecutionResult>
}

/**
 * Reads the outputs of a schema: of a Standard Schema a model is shown the JSON Schema of what goes in.
 *
 * @throws ValidationError `validation_failed` for a schema that cannot become JSON Schema
 */
export function toOutputReader(schema: object | undefined): OutputReader {
  if (schema === undefined || schema === null || !['object', 'function'].includes(typeof schema) || !isStandard(schema))
    return { request: schema === undefined ? {} : { outputSchema: schema as never }, read: async (result) => result }
  const check = async (value: unknown): Promise<readonly FieldError[]> =>
    (await checkByStandard(schema, value)).errors ?? []
  return {
    request: { outputSchema: shown(schema) },
    check,
    async read(result) {
      if (result.output === undefined) return result
      const { value, errors } = await checkByStandard(schema, result.output)
      if (errors === undefined) return { ...result, output: value }
      const { output: _, ...rest } = result
      const wrong = describeErrors(errors)
      const message = `the answer does not fit outputSchema: ${wrong}`
      return {
        ...rest,
        status: result.status === 'completed' ? 'incomplete' : result.status,
        verdict: 'fail',
        error: result.error ?? { code: 'output_schema_mismatch', message, retryable: false },
        incomplete: result.incomplete ?? { reason: 'checks_failed' },
        warnings: [...result.warnings, { code: 'output_schema_mismatch', message }],
      }
    },
  }
}

function shown(schema: Parameters<typeof toJsonSchema>[0]): ReturnType<typeof toJsonSchema> {
  try {
    return toJsonSchema(schema)
  } catch (thrown) {
    if (!(thrown instanceof ValidationError)) throw thrown
    const { message } = thrown
    throw new ValidationError('validation_failed', `outputSchema: ${message}`, {
      errors: [{ path: '/outputSchema', message }],
    })
  }
}
