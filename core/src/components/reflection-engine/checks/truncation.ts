import { type Check, excerpt, fail, NOT_APPLICABLE } from '../check.ts'

/** The model's output limit did not cut the answer off. That it did not says little, so it counts as not applicable. */
export const truncation: Check = {
  id: 'truncation',
  critical: false,
  strict: true,
  trust: 0.9,
  lesson: { trigger: 'a long answer', cause: '3.1', advice: 'Plan the length; give the answer in fewer words.' },
  look({ output, lastAnswer }) {
    if (lastAnswer?.finishReason !== 'length') return NOT_APPLICABLE
    return fail(
      `the output limit of the model cut the answer off at "${excerpt(output.slice(-60))}"`,
      'Give a shorter answer that is complete.',
    )
  },
}
