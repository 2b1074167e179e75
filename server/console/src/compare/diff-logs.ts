import { comparedPart, VOLATILE_FIELDS } from '@svc/core/client'
import type { Change, RunEvent } from '@svc/sdk/remote'
import { diffSequences, type Pair } from './diff-sequences.ts'

/** What kind of event it is, and of whom: two logs are laid side by side by it. */
const kindOf = ({ type, stage, stepId, agentId }: RunEvent): string => [type, stage, stepId, agentId].join('|')

/**
 * Two logs side by side, each up to the event in which they part.
 *
 * @param until number of the last event of each side
 */
export function diffLogs(
  left: readonly RunEvent[],
  right: readonly RunEvent[],
  until: readonly [number, number],
): Pair<RunEvent>[] {
  const [leftHead, rightHead] = [left.slice(0, until[0]), right.slice(0, until[1])]
  const [leftLast, rightLast] = [leftHead.pop(), rightHead.pop()]
  const pairs = diffSequences(leftHead, rightHead, (one, other) => kindOf(one) === kindOf(other))
  if (leftLast !== undefined && rightLast !== undefined) pairs.push({ left: leftLast, right: rightLast })
  else if (leftLast !== undefined) pairs.push({ left: leftLast })
  else if (rightLast !== undefined) pairs.push({ right: rightLast })
  return pairs
}

/** Where two events differ, field by field, without times and ids. */
export function diffEvents(left: RunEvent | undefined, right: RunEvent | undefined): Change[] {
  return diffValues('', left && comparedPart(left), right && comparedPart(right))
}

function diffValues(path: string, before: unknown, after: unknown): Change[] {
  if (Object.is(before, after)) return []
  if (isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names
      .filter((name) => !VOLATILE_FIELDS.has(name))
      .flatMap((name) => diffValues(`${path}/${name}`, before[name], after[name]))
  }
  return [{ path, before, after }]
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
