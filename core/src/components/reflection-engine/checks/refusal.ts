import { type Check, excerpt, fail, NOT_APPLICABLE } from '../check.ts'
import { hasAny } from '../material.ts'

const REFUSES =
  /\b(?:as an? (?:ai|artificial intelligence|large language model|language model)\b|i(?:'m| am) (?:(?:very |so )?sorry,? but i|unable to|not able to|just an ai)|i (?:cannot|can't|can not|won't|will not) (?:help|assist|comply|provide|fulfil|access|answer|browse|do that|complete)|i do(?:n't| not) have (?:access to|the ability))/i
const HEAD = 400
const NEEDED: ReadonlySet<string> = new Set(
  'ai artificial language sorry unable able cannot can t won not access'.split(' '),
)

/** The answer answers. A refusal with a denied or failed tool behind it is honest and no defect. */
export const refusal: Check = {
  id: 'refusal',
  critical: false,
  strict: true,
  trust: 0.8,
  look(material) {
    if (!hasAny(material.words, NEEDED)) return NOT_APPLICABLE
    const { output, calls, sourceText } = material
    const found = REFUSES.exec(output.slice(0, HEAD).replaceAll('’', "'"))?.[0]
    if (found === undefined || REFUSES.test(sourceText)) return NOT_APPLICABLE
    if (calls.some((call) => call.status === 'denied' || call.status === 'failed')) return NOT_APPLICABLE
    const finding = fail(
      `refuses: ${excerpt(output)}`,
      'Answer what can be answered with the tools at hand, and say what is missing.',
    )
    // Asking the same again gives the same answer.
    return { ...finding, isNew: false }
  },
}
