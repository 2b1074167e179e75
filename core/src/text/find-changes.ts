import type { Change } from '../contracts/run/change.ts'

/** Where two values differ, down to the leaves. */
export function findChanges(path: string, before: unknown, after: unknown): Change[] {
  if (Object.is(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => findChanges(`${path}/${escapeName(name)}`, before[name], after[name]))
  }
  return [{ path, before: before ?? null, after: after ?? null }]
}

const escapeName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
