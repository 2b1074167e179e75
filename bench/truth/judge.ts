import { ReflectionEngine, type RunEvent } from '@svc/core'
import { verdictOf } from '@svc/core/schema'
import { toWorld } from './play-case.ts'
import type { TruthCase } from './truth-case.ts'

/** What the rules say of an answer to a case. */
export interface Judged {
  readonly verdict: 'pass' | 'unverified' | 'fail'
  /** The false words, or a sentence with them, are listed as supported. */
  readonly holdsLie: boolean
  /** The checks that failed critically. */
  readonly failed: readonly string[]
  readonly ms: number
}

const engine = new ReflectionEngine()

/** Judges an answer by rules alone, after the first attempt of a played case. */
export async function judge(given: TruthCase, events: readonly RunEvent[], answer = given.answer): Promise<Judged> {
  const { task, answer: output, outputSchema, wrong = [] } = toWorld({ ...given, answer })
  const start = performance.now()
  const reflection = await engine.evaluate({
    task: { id: 'task', description: task },
    output,
    events,
    attempt: 1,
    ...(outputSchema && { outputSchema }),
  })
  const ms = performance.now() - start
  const lies = [wrong].flat()
  return {
    verdict: verdictOf(reflection),
    holdsLie: (reflection.claims ?? []).some(
      ({ verdict, text }) => verdict === 'supported' && lies.some((lie) => text.includes(lie) || lie.includes(text)),
    ),
    failed: reflection.checks.filter(({ result, critical }) => result === 'fail' && critical).map(({ id }) => id),
    ms,
  }
}
