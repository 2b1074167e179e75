import type { Lesson } from '../../contracts/memory/lesson.ts'
import type { Found } from './check.ts'
import type { EvaluateInput, Material } from './material.ts'

/**
 * What a reflection teaches: one lesson for each failed check that alone is enough not to pass, and for each check that
 * failed in an earlier attempt and passes now. Only rules teach here, never an opinion (after Reflexion, Shinn et al., 2023).
 */
export function toLessons(
  found: readonly Found[],
  { events, task }: EvaluateInput,
  material: Pick<Material, 'lastAnswerRef'>,
): Lesson[] {
  const lessons: Lesson[] = []
  let mended: ReadonlyMap<string, string> | undefined
  for (const { check, finding, isCritical } of found) {
    const { lesson } = check
    if (lesson === undefined || finding.result === 'na') continue
    mended ??= mendedSince(events)
    const failed = finding.result === 'fail' && (isCritical || check.strict === true)
    const before = finding.result === 'pass' ? mended.get(check.id) : undefined
    if (!failed && before === undefined) continue
    const evidence = [before, material.lastAnswerRef]
    lessons.push({
      ...lesson,
      evidence: evidence.filter((ref) => ref !== undefined),
      ...(task.domain === undefined ? {} : { scope: task.domain }),
      successes: 0,
      failures: 0,
    })
  }
  return lessons
}

const NONE: ReadonlyMap<string, string> = new Map()

/** The checks that the last reflection of this run saw fail, each with the event that says so. */
function mendedSince(events: EvaluateInput['events']): ReadonlyMap<string, string> {
  let at = events.length - 1
  while (at >= 0 && events[at]?.type !== 'reflection.completed') at--
  const last = events[at]
  if (last?.type !== 'reflection.completed') return NONE
  const failed = new Map<string, string>()
  for (const { id, result } of last.data.checks) if (result === 'fail') failed.set(id, `${last.runId}:${last.seq ?? 0}`)
  return failed
}
