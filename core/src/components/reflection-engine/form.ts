/** What can be said of the form of an answer: there is one, it is whole, and it has the shape that was asked for. */
import type { JsonSchema } from '../../contracts/schema.ts'
import { excerpt, findJson } from '../../text/index.ts'
import { findErrors } from '../../validate.ts'
import { type Check, type Finding, fail, NOT_APPLICABLE, PASSES } from './check.ts'
import type { Material } from './material.ts'

const ASKS_JSON =
  /\b(?:(?:as|in|return|output|respond with|reply with|answer with|give|produce|print|only|valid|into|to)(?: an?| the| only| just| valid| raw| strict| pure| well-formed){0,3} json\b(?! ?(?:files?|schema|parser?|parsing|librar|config|web|tokens?|\.\w))|json (?:object|array|format|output|only)\b(?= (?:with|containing|of|that|and|only|only\.)|[.,:;]|$))/i
const ABOUT_CODE =
  /\b(?:function|method|script|program|endpoint|api|class|module|code|parser?|convert(?:er)?|how (?:do|to|can)|what is|explain|why|difference)\b/i
const LESSON = { cause: '1.1', advice: 'Give the form that was asked for and nothing around it.' }

export const FORM: readonly Check[] = [
  {
    id: 'answer',
    critical: false,
    strict: true,
    trust: 1,
    look: ({ output, data }) =>
      data === undefined && !/\S/.test(output)
        ? fail('the answer is empty', 'Give an answer in words.')
        : NOT_APPLICABLE,
  },
  {
    id: 'truncation',
    critical: false,
    strict: true,
    trust: 0.9,
    lesson: { trigger: 'a long answer', cause: '3.1', advice: 'Plan the length; give the answer in fewer words.' },
    look({ output, lastAnswer }) {
      if (lastAnswer?.finishReason !== 'length') return NOT_APPLICABLE
      const evidence = `the output limit of the model cut the answer off at "${excerpt(output.slice(-60))}"`
      return fail(evidence, 'Give a shorter answer that is complete.')
    },
  },
  {
    id: 'schema',
    critical: true,
    trust: 1,
    lesson: { trigger: 'an answer of a given schema', ...LESSON },
    look: (material) =>
      material.outputSchema === undefined ? NOT_APPLICABLE : holdJson(material, material.outputSchema),
  },
  {
    id: 'format',
    critical: true,
    trust: 0.98,
    lesson: { trigger: 'an answer of a given form', ...LESSON },
    look(material) {
      const { outputSchema, task, done } = material
      // A schema says more than words, and where a file was written the form may be that of the file.
      if (outputSchema !== undefined || done.some((call) => call.acts)) return NOT_APPLICABLE
      const isAsked = ASKS_JSON.test(task.description) && !ABOUT_CODE.test(task.description)
      return isAsked ? holdJson(material, {}) : NOT_APPLICABLE
    },
  },
]

function holdJson({ data, output }: Material, schema: JsonSchema): Finding {
  const parsed = data === undefined ? findJson(output, { strict: true }) : { value: data }
  if ('error' in parsed)
    return fail(`not JSON: ${parsed.error} in "${excerpt(output, 60)}"`, 'Answer with valid JSON only.')
  const list = findErrors(schema, parsed.value).map(({ path, message }) => `${path || '/'} ${message}`)
  const shown = list.slice(0, 5).join('; ')
  return list.length === 0 ? PASSES : fail(`breaks the schema: ${shown}`, `Correct the JSON: ${shown}.`)
}
