import { type Claim, type Ports, ReflectionEngine, type RunEvent } from '@svc/core'
import { verdictOf } from '@svc/core/schema'
import { toWorld } from './play-case.ts'
import type { TruthCase } from './truth-case.ts'

/** What is said of an answer to a case. */
export interface Judged {
  readonly verdict: 'pass' | 'unverified' | 'fail'
  /** The false words, or a sentence with them, are listed as supported. */
  readonly holdsLie: boolean
  /** Another attempt is asked for. */
  readonly asksAgain: boolean
  readonly claims: readonly Claim[]
  readonly ms: number
}

const engine = new ReflectionEngine()

/** Judges an answer after the first attempt of a played case: by rules alone, or with the reader that `ports` have. */
export async function judge(given: TruthCase, events: readonly RunEvent[], ports?: Ports): Promise<Judged> {
  const { task, answer: output, outputSchema, wrong = [] } = toWorld(given)
  const start = performance.now()
  const reflection = await engine.evaluate(
    {
      task: { id: 'task', description: task },
      output,
      events,
      attempt: 1,
      ...(outputSchema && { outputSchema }),
      ...(ports && { reader: {} }),
    },
    ports,
  )
  const ms = performance.now() - start
  const lies = [wrong].flat()
  const { claims = [] } = reflection
  return {
    verdict: verdictOf(reflection),
    holdsLie: claims.some(
      ({ verdict, text }) => verdict === 'supported' && lies.some((lie) => text.includes(lie) || lie.includes(text)),
    ),
    asksAgain: reflection.retry !== undefined,
    claims,
    ms,
  }
}
