/** What came of an expression: its value as it is shown, or what is wrong and at which character, from 1. */
export type WorkedOut = { text: string; fault?: undefined } | { fault: string; position: number }

/**
 * Works out an arithmetic expression: an exact decimal where there is one of less than 100 digits and at most 40 places,
 * else 15 significant digits. No code is evaluated. The calculator is loaded with the first expression.
 */
export async function workOut(expression: string): Promise<WorkedOut> {
  const { ExpressionFault, evaluate } = await import('./evaluate.ts')
  try {
    return { text: evaluate(expression) }
  } catch (thrown) {
    if (!(thrown instanceof ExpressionFault)) throw thrown
    return { fault: thrown.message, position: thrown.position }
  }
}
