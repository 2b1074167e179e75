import type { ReflectionEngine, Refutation, StepReview } from '@svc/core'

/** Checks of the form of a whole answer: what one worker hands in need not have it. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(['answer', 'truncation', 'format', 'schema'])

/** Holds what a step of a team says against its calls by the rules of an engine: no model is asked. */
export const reviewBy =
  (engine: Pick<ReflectionEngine, 'evaluate'>): StepReview =>
  async ({ step: { id, objective }, output, events, given }) => {
    const task = { id, description: objective }
    const { claims = [], checks } = await engine.evaluate({
      task,
      output,
      events,
      sources: given,
      attempt: 1,
      mayRetry: false,
    })
    const failed = checks.filter((check) => check.result === 'fail' && check.critical && !OF_THE_WHOLE.has(check.id))
    const shown = failed.map(({ id: check, evidence = `the check ${check} failed` }) => locate(evidence, output))
    const contradicted = claims.filter(({ verdict, text }) => verdict === 'contradicted' && output.includes(text))
    return byText(shown, new Set(contradicted.map(({ text }) => text)))
  }

/** The words of the output that a check quotes, and what it has found of them. */
function locate(evidence: string, output: string): Refutation {
  const text = [...evidence.matchAll(/"([^"]+)"/g)]
    .map(([, quoted = '']) => quoted)
    .find((quoted) => output.includes(quoted))
  return text === undefined ? { text: '', evidence } : { text, evidence: evidence.replace(`"${text}", but `, '') }
}

/** One refutation for each statement. What no check has placed belongs to the claims that are contradicted without more. */
function byText(shown: readonly Refutation[], contradicted: ReadonlySet<string>): Refutation[] {
  const found = new Map<string, Set<string>>()
  for (const { text, evidence } of shown) found.set(text, (found.get(text) ?? new Set()).add(evidence))
  const bare = [...contradicted].filter((text) => !found.has(text))
  const unplaced = found.get('')
  for (const text of bare) found.set(text, unplaced ?? new Set(['it shows something else']))
  if (bare.length > 0) found.delete('')
  return [...found].map(([text, evidence]) => ({ text, evidence: [...evidence].join('; ').replace(/\s+/g, ' ') }))
}
