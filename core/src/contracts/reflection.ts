import Type, { type Static } from 'typebox'
import { Lesson } from './lesson.ts'
import { Fraction, Text, Texts } from './schema.ts'
import { Usage } from './usage.ts'

/** One question about the answer, and what was found. */
export const CheckResult = Type.Object({
  id: Text('name of the check'),
  result: Type.Enum(['pass', 'fail', 'na']),
  critical: Type.Boolean({ description: 'counts three times' }),
  evidence: Type.Optional(Text('the words that show it')),
  by: Type.Enum(['rule', 'llm']),
})
export type CheckResult = Static<typeof CheckResult>

/** Is the answer good enough, and would another try help? The answer to `reflect`. */
export const Reflection = Type.Object({
  verdict: Type.Enum(['pass', 'revise', 'fail', 'escalate']),
  score: Fraction('weighted share of passed checks'),
  confidence: Fraction('how far to trust the verdict'),
  checks: Type.Array(CheckResult),
  retry: Type.Optional(
    Type.Object({
      reason: Text('why another try'),
      hint: Text('what to do differently'),
      evidence: Texts('new information for the next try; never empty'),
    }),
  ),
  lessons: Type.Array(Lesson),
  usage: Usage,
})
export type Reflection = Static<typeof Reflection>
