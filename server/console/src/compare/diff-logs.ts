import { comparedPart, VOLATILE_FIELDS } from '@svc/core/client'
import type { Change, RunEvent } from '@svc/sdk/remote'
import { diffArrays } from 'diff'

/** Events of two logs side by side: alike, or only on one side. */
export interface Pair {
  left?: RunEvent | undefined
  right?: RunEvent | undefined
}

/** Differences beyond which two logs are no longer compared event by event. */
const MOST_EDITS = 1_000

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
): Pair[] {
  const [one, other] = [left.slice(0, until[0]), right.slice(0, until[1])]
  const parting = { left: one.pop(), right: other.pop() }
  const [oneKinds, otherKinds] = [one.map(kindOf), other.map(kindOf)]
  const changes = diffArrays(oneKinds, otherKinds, { maxEditLength: MOST_EDITS }) ?? [
    { removed: true, added: false, value: oneKinds },
    { removed: false, added: true, value: otherKinds },
  ]
  const pairs: Pair[] = []
  for (const { value, added, removed } of changes)
    for (const _ of value)
      pairs.push({ left: added ? undefined : one.shift(), right: removed ? undefined : other.shift() })
  if (parting.left !== undefined || parting.right !== undefined) pairs.push(parting)
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
