import { type Claim, type Ports, ReflectionEngine, type RunEvent } from '@svc/core'
import { verdictOf } from '@svc/core/schema'
import { toWorld } from './play-case.ts'
import type { TruthCase } from './truth-case.ts'

/** What is said of an answer to a case. */
export interface Judged {
  readonly verdict: 'pass' | 'unverified' | 'fail'
  /** All that the answer says with the false words is listed as supported. */
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
    holdsLie: lies.some((lie) => {
      const told = claims.filter(({ text }) => text.includes(lie) || lie.includes(text))
      return told.length > 0 && told.every(({ verdict }) => verdict === 'supported')
    }),
    asksAgain: reflection.retry !== undefined,
    claims,
    ms,
  }
}
