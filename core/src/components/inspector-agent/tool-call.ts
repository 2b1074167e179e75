import type { ToolCallView } from '../../contracts/call-view.ts'
import { digest, toCanonical } from './digest.ts'

/** What a tool call came to: its result, its error's message, or why it was denied. */
export const textOf = ({ result, error, denied }: ToolCallView): string =>
  result ?? error?.message ?? denied?.reason ?? ''

/** A short id that calls of one tool with the same arguments share. */
export const idOf = ({ tool, args }: ToolCallView): string => digest(`${tool} ${toCanonical(args)}`)

/** Whether two calls have the same tool and arguments, and came to the same. */
export const isRepeated = (a: ToolCallView, b: ToolCallView): boolean =>
  a.tool === b.tool &&
  a.status === b.status &&
  textOf(a) === textOf(b) &&
  a.error?.code === b.error?.code &&
  isEqual(a.args, b.args)

const MOST_LEVELS = 16

/** Deep equality of values that JSON can hold; the order of keys does not matter. */
function isEqual(a: unknown, b: unknown, level = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || level > MOST_LEVELS) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false
    if (!isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], level + 1)) return false
  }
  return true
}
