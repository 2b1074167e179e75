import { findJson } from '../../../text/index.ts'
import { findErrors } from '../../../validate.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE, pass } from '../check.ts'

/** The answer is JSON of the output schema of the run; a code block may hold it. */
export const schema: Check = {
  id: 'schema',
  critical: true,
  trust: 1,
  lesson: {
    trigger: 'an answer of a given schema',
    cause: '1.1',
    advice: 'Give JSON of the schema that was asked for and nothing around it.',
  },
  look({ outputSchema, data, output }) {
    if (outputSchema === undefined) return NOT_APPLICABLE
    const parsed = data === undefined ? findJson(output, { strict: true }) : { value: data }
    if ('error' in parsed)
      return fail(`not JSON: ${parsed.error} in "${excerpt(output, 60)}"`, 'Answer with valid JSON of the schema only.')
    const errors = findErrors(outputSchema, parsed.value)
    if (errors.length === 0) return pass()
    const list = errors.slice(0, 5).map(({ path, message }) => `${path || '/'} ${message}`)
    return fail(`breaks the schema: ${list.join('; ')}`, `Correct the JSON: ${list.join('; ')}.`)
  },
}
