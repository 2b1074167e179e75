import type { Exercised } from './exercise.ts'
import type { TapCall } from './watched-plugin.ts'

/** JSON pointer of the first place where two JSON values differ; undefined where they are the same. */
export function differing(one: unknown, other: unknown, path = ''): string | undefined {
  if (Object.is(one, other)) return undefined
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return path || '/'
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>]
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = differing(a[key], b[key], `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Where the answers of the last run of two exercises differ, one phrase each.
 *
 * @param remembers whether it is a memory, whose recalls may differ
 */
export function compare(one: Exercised, other: Exercised, remembers: boolean): string[] {
  const [mine, theirs] = [lastRun(one), lastRun(other)]
  const found = mine.flatMap((call, index) => {
    const twin = theirs[index]
    if (twin === undefined || twin.hook !== call.hook) return []
    // What goes in must be the same, else nothing follows from what comes out.
    if (differing(call.input, twin.input) !== undefined) return []
    const where = differing(outcome(call, remembers), outcome(twin, remembers))
    return where === undefined ? [] : [`${call.hook}: ${where} differed`]
  })
  return [...new Set(found)]
}

function outcome({ returned, thrown, recalled, reads }: TapCall, remembers: boolean): unknown {
  // What it says of times without that it read a clock, it has from the run, which measured them.
  const toComparable = reads.size === 0 ? withoutTimes : withoutIds
  return {
    answer: toComparable(returned),
    ...(thrown === undefined ? {} : { thrown: String(thrown) }),
    ...(remembers ? {} : { recalled: withoutIds(recalled) }),
  }
}

function lastRun({ calls, runs }: Exercised): TapCall[] {
  const id = runs.at(-1)?.id
  return calls.filter(({ runId }) => runId === id).map((call) => ({ ...call, input: withoutTimes(call.input) }))
}

/** Runs have ids of their own. */
const withoutIds = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value).replace(/\b(run|thr)_[0-9A-Z]{26}\b/g, '$1_0'))

/** Calls take the time that they take. */
const withoutTimes = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(withoutIds(value)).replace(/"([a-zA-Z]{1,40}Ms)":[\d.]{1,30}/g, '"$1":0'))
