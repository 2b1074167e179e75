import { type Context, createContext, Script } from 'node:vm'

const call = new Script('work()')
let context: Context | undefined

/**
 * What work that does not wait returns; it is stopped wherever it is when its time is up, also within a regular expression.
 *
 * @returns undefined where it was stopped, or ran out of stack
 */
export function withinTime<Result>(mostMs: number, work: () => Result): Result | undefined {
  context ??= createContext(Object.create(null))
  context.work = work
  try {
    return call.runInContext(context, { timeout: mostMs }) as Result
  } catch (thrown) {
    if (thrown instanceof RangeError || codeOf(thrown) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw thrown
  } finally {
    context.work = undefined
  }
}

const codeOf = (thrown: unknown): unknown => (thrown as NodeJS.ErrnoException).code
