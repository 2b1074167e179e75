import { findJson } from '../../../text/index.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE, pass } from '../check.ts'

const ASKS_JSON =
  /\b(?:(?:as|in|return|output|respond with|reply with|answer with|give|produce|print|only|valid|into|to)(?: an?| the| only| just| valid| raw| strict| pure| well-formed){0,3} json\b(?! ?(?:files?|schema|parser?|parsing|librar|config|web|tokens?|\.\w))|json (?:object|array|format|output|only)\b(?= (?:with|containing|of|that|and|only|only\.)|[.,:;]|$))/i
const ABOUT_CODE =
  /\b(?:function|method|script|program|endpoint|api|class|module|code|parser?|convert(?:er)?|how (?:do|to|can)|what is|explain|why|difference)\b/i

/** The answer has the form that the task asks for in words: JSON. */
export const format: Check = {
  id: 'format',
  critical: true,
  strict: true,
  trust: 0.98,
  lesson: {
    trigger: 'an answer of a given form',
    cause: '1.1',
    advice: 'Give the form that was asked for and nothing around it.',
  },
  look({ outputSchema, task, output, done }) {
    const text = task.description
    // A schema says more than words, and where a file was written the form may be that of the file.
    if (outputSchema !== undefined || done.some((call) => call.acts)) return NOT_APPLICABLE
    if (!ASKS_JSON.test(text) || ABOUT_CODE.test(text)) return NOT_APPLICABLE
    const parsed = findJson(output, { strict: true })
    if (!('error' in parsed)) return pass()
    return fail(`not JSON: ${parsed.error} in "${excerpt(output, 60)}"`, 'Answer with valid JSON only.')
  },
}
