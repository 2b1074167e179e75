import { type Check, type Finding, NOT_APPLICABLE } from '../check.ts'

/** There is an answer at all. Says nothing about a text that is there. */
export const answer: Check = {
  id: 'answer',
  critical: false,
  strict: true,
  trust: 1,
  look({ output, data }): Finding {
    if (/\S/.test(output) || data !== undefined) return NOT_APPLICABLE
    return { result: 'fail', evidence: 'the answer is empty', hint: 'Give an answer in words.' }
  },
}
