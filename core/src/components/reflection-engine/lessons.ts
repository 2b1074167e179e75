import type { Lesson } from '../../contracts/memory/lesson.ts'
import type { Found } from './check.ts'
import type { Material } from './material.ts'

/**
 * What a reflection teaches: one lesson for each failed check that alone is enough not to pass, and for each check that
 * failed in an earlier attempt and passes now. Only rules teach here, never an opinion (after Reflexion, Shinn et al., 2023).
 */
export function toLessons(
  found: readonly Found[],
  { task, earlier, lastAnswerRef }: Pick<Material, 'task' | 'earlier' | 'lastAnswerRef'>,
): Lesson[] {
  const last = earlier.at(-1)
  const lastRef = last && `${last.runId}:${last.seq ?? 0}`
  return found.flatMap(({ check: { id, lesson, strict }, finding: { result }, isCritical }) => {
    const isMended =
      result === 'pass' && last?.data.checks.some((one) => one.id === id && one.result === 'fail') === true
    const isFailed = result === 'fail' && (isCritical || strict === true)
    if (lesson === undefined || !(isFailed || isMended)) return []
    const evidence = [isMended ? lastRef : undefined, lastAnswerRef].filter((ref) => ref !== undefined)
    const scope = task.domain === undefined ? {} : { scope: task.domain }
    return [{ ...lesson, evidence, ...scope, successes: 0, failures: 0 }]
  })
}
