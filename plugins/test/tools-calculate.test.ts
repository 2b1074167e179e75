import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { calculate } from '../src/tools/calculate.ts'
import { createContext, failureOf, runTool } from './fixtures/tool-context.ts'

const test = suite('calculate')
const context = createContext('/')
const run = (expression: string) => runTool(calculate, { expression }, context)

test('shows the expression and its result', async () => {
  for (const [expression, result] of [
    ['2+2', '4'],
    ['0.1 + 0.2', '0.3'],
    ['15% of 80', '12'],
    ['80 + 15%', '92'],
    ['80 - 15%', '68'],
    ['10% + 5%', '0.15'],
    ['10 % 3', '1'],
    ['-7 mod 3', '2'],
    ['20 % of 50 + 1', '11'],
    ['2 ^ 3 ^ 2', '512'],
    ['-2 ^ 2', '-4'],
    ['1/3', '0.333333333333333'],
    ['2/3 * 3', '2'],
    ['1,234,567 * 2', '2469134'],
    ['1_000 + .5', '1000.5'],
    ['(1,250 - 300) * 1.19', '1130.5'],
    ['max(1,234)', '234'],
    ['6 × 7 ÷ 2 − 1', '20'],
    ['sqrt(16) + sqrt(2.25)', '5.5'],
    ['round(-2.5)', '-3'],
    ['round(1.005, 2)', '1.01'],
    ['round(sqrt(2), 4)', '1.4142'],
    ['round(1234, -2)', '1200'],
    ['floor(-1.5) + ceil(1.2) + trunc(-1.9)', '-1'],
    ['abs(-3)', '3'],
    ['min(3, 1, 2) + sum(1, 2, 3) + avg(1, 2)', '8.5'],
    ['log(1000) + log(8, 2) + ln(e)', '7'],
    ['sin(pi)', '0'],
    ['gcd(12, 18) + lcm(4, 6)', '18'],
    ['2^200', (2n ** 200n).toString()],
    ['1 + 1 =', '2'],
  ] as const) {
    const shown = expression.replace(/ =$/, '')
    assert.is(await run(expression), `${shown} = ${result}`)
  }
})

test('what cannot be read or has no value is tool_bad_args with the character where it is', async () => {
  for (const [expression, position, said] of [
    ['', 0, ''],
    ['2 +', 4, 'it ends'],
    ['(1 + 2', 1, 'not closed'],
    ['2 3', 3, 'expected an operator'],
    ['3,5 + 1', 2, 'decimal point'],
    ['1 / 0', 3, 'division by zero'],
    ['sqrt(-1)', 1, 'not a real number'],
    ['sin(1e9999)', 1, 'too large'],
    ['ln(0)', 1, 'not real'],
    ['sqr(4)', 1, 'did you mean sqrt'],
    ['round(1, 2, 3)', 1, '1 to 2 arguments'],
    ['process.exit()', 1, 'does not know "process"'],
    ['9^9^9^9', 4, 'too large'],
    ['(-8)^(1/3)', 5, 'not a real number'],
    ['('.repeat(500), 0, 'nested'],
    ['-'.repeat(1999), 0, 'nested'],
  ] as const) {
    const error = await failureOf(run(expression))
    assert.is(error.code, 'tool_bad_args', expression)
    if (position > 0) assert.match(error.message, `character ${position}:`, expression)
    assert.match(error.message, said)
  }
})

test('any text at all is answered or refused with a code', async () => {
  const token = fc.constantFrom(...'1 2.5 1,000 + - * / ^ % of mod ( ) , max( sqrt( pi e 9e99'.split(' '), ' ')
  await fc.assert(
    fc.asyncProperty(fc.array(token, { minLength: 1, maxLength: 40 }), async (tokens) => {
      const expression = tokens.join('')
      const shown = await run(expression).catch(async (error) => (await failureOf(Promise.reject(error))).code)
      assert.ok(shown.startsWith(`${expression.trim()} = `) || shown === 'tool_bad_args', shown)
    }),
    { numRuns: 500 },
  )
})

test.run()
