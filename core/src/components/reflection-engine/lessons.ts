import type { Lesson } from '../../contracts/lesson.ts'
import type { Reflection } from '../../contracts/reflection.ts'
import type { Check } from './check.ts'
import type { EvaluateInput, Material } from './material.ts'

/**
 * What a reflection teaches: one lesson for each failed check that alone is enough not to pass, and for each check that
 * failed in an earlier attempt and passes now. Only rules teach here, never an opinion (after Reflexion, Shinn et al., 2023).
 */
export function toLessons(
  checks: Reflection['checks'],
  byId: ReadonlyMap<string, Check>,
  { events, task }: EvaluateInput,
  { lastAnswer }: Pick<Material, 'lastAnswer'>,
): Lesson[] {
  const mended = mendedSince(events)
  return checks.flatMap((found): Lesson[] => {
    const check = byId.get(found.id)
    const lesson = check?.lesson
    if (lesson === undefined || found.by !== 'rule') return []
    const failed = found.result === 'fail' && (found.critical || check?.strict === true)
    const before = found.result === 'pass' ? mended.get(found.id) : undefined
    if (!failed && before === undefined) return []
    const evidence = [before, lastAnswer?.ref]
    return [
      {
        ...lesson,
        evidence: evidence.filter((ref) => ref !== undefined),
        ...(task.domain === undefined ? {} : { scope: task.domain }),
        successes: 0,
        failures: 0,
      },
    ]
  })
}

/** The checks that the last reflection of this run saw fail, each with the event that says so. */
function mendedSince(events: EvaluateInput['events']): Map<string, string> {
  const last = events.findLast((event) => event.type === 'reflection.completed')
  const failed = new Map<string, string>()
  if (last?.type !== 'reflection.completed') return failed
  for (const { id, result } of last.data.checks) if (result === 'fail') failed.set(id, `${last.runId}:${last.seq ?? 0}`)
  return failed
}
