/** What can be said of the form of an answer: there is one, it is whole, and it has the shape that was asked for. */
import { findJson } from '../../text/index.ts'
import { findErrors } from '../../validate.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE, pass } from './check.ts'

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
      /\S/.test(output) || data !== undefined
        ? NOT_APPLICABLE
        : fail('the answer is empty', 'Give an answer in words.'),
  },
  {
    id: 'truncation',
    critical: false,
    strict: true,
    trust: 0.9,
    lesson: { trigger: 'a long answer', cause: '3.1', advice: 'Plan the length; give the answer in fewer words.' },
    look: ({ output, lastAnswer }) =>
      lastAnswer?.finishReason === 'length'
        ? fail(
            `the output limit of the model cut the answer off at "${excerpt(output.slice(-60))}"`,
            'Give a shorter answer that is complete.',
          )
        : NOT_APPLICABLE,
  },
  {
    id: 'schema',
    critical: true,
    trust: 1,
    lesson: { trigger: 'an answer of a given schema', ...LESSON },
    look({ outputSchema, data, output }) {
      if (outputSchema === undefined) return NOT_APPLICABLE
      const parsed = data === undefined ? findJson(output, { strict: true }) : { value: data }
      if ('error' in parsed) return notJson(parsed.error, output)
      const errors = findErrors(outputSchema, parsed.value)
      const list = errors.slice(0, 5).map(({ path, message }) => `${path || '/'} ${message}`)
      return errors.length === 0
        ? pass()
        : fail(`breaks the schema: ${list.join('; ')}`, `Correct the JSON: ${list.join('; ')}.`)
    },
  },
  {
    id: 'format',
    critical: true,
    trust: 0.98,
    lesson: { trigger: 'an answer of a given form', ...LESSON },
    look({ outputSchema, task: { description }, output, done }) {
      // A schema says more than words, and where a file was written the form may be that of the file.
      if (outputSchema !== undefined || done.some((call) => call.acts)) return NOT_APPLICABLE
      if (!ASKS_JSON.test(description) || ABOUT_CODE.test(description)) return NOT_APPLICABLE
      const parsed = findJson(output, { strict: true })
      return 'error' in parsed ? notJson(parsed.error, output) : pass()
    },
  },
]

const notJson = (error: string, output: string): ReturnType<typeof fail> =>
  fail(`not JSON: ${error} in "${excerpt(output, 60)}"`, 'Answer with valid JSON only.')
