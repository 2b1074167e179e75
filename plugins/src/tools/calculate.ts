import { type Tool, ToolError } from '@svc/core'
import { workOut } from '@svc/core/text'
import * as Type from 'typebox'
import { checkArgs } from './configured/check-args.ts'

const parameters = Type.Object(
  {
    expression: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'For example "15% of 80", "(1,250 - 300) * 1.19", "round(sqrt(2), 4)".',
    }),
  },
  { additionalProperties: false },
)

/**
 * Calculates an expression and shows it as `expression = result`.
 *
 * Fractions are kept exactly, so `0.1 + 0.2 = 0.3`; a result without an end is shown with 15 significant digits. No
 * code is evaluated.
 */
export const calculate: Tool = {
  id: 'calculate',
  description:
    'Calculates an arithmetic expression exactly: + - * / ^ parentheses, percentages ("15% of 80"; "80 + 15%" is 92), remainder ("17 % 5" or mod), sqrt abs min max sum avg round(x, places) floor ceil trunc log(x) to base 10 or log(x, base), ln exp sin cos tan (radians) gcd lcm, pi and e. Thousands as 1,234,567 outside of functions, decimals with a point. Use it for every calculation.',
  parameters: { ...parameters },
  risk: 'read',
  idempotent: true,
  timeoutMs: 5_000,
  maxOutputBytes: 32_768,
  readsNothing: true,
  touches: async () => ({}),
  async run(args, { signal }) {
    signal.throwIfAborted()
    const { expression } = checkArgs('calculate', parameters, args)
    const trimmed = expression.trim()
    const shown = trimmed.endsWith('=') ? trimmed.slice(0, -1).trimEnd() : trimmed
    const worked = await workOut(expression)
    if (worked.fault === undefined) return `${shown} = ${worked.text}`
    const { fault, position } = worked
    throw new ToolError('tool_bad_args', `expression, character ${position}: ${fault}`, { details: { position } })
  },
}
