import type { ReflectionEngine, Refutation, StepReview } from '@svc/core'

/** Checks of the form of a whole answer: what one worker hands in need not have it. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(['answer', 'truncation', 'format', 'schema'])

/** Holds what a step of a team says against its calls by the rules of an engine: no model is asked. */
export const reviewBy =
  (engine: Pick<ReflectionEngine, 'evaluate'>): StepReview =>
  async ({ step: { id, objective }, output, events, given }) => {
    const task = { id, description: objective }
    const input = { task, output, events, sources: given, attempt: 1, mayRetry: false }
    const { claims = [], checks } = await engine.evaluate(input)
    const doubted = claims.filter(({ verdict }) => verdict !== 'supported')
    const contradicted = doubted.filter(({ verdict }) => verdict === 'contradicted').map(({ text }) => text)
    const texts = [...new Set(doubted.map(({ text }) => text))]
    const shown = checks
      .filter((check) => check.result === 'fail' && check.critical && !OF_THE_WHOLE.has(check.id))
      .flatMap(({ id: check, evidence = `the check ${check} failed` }) => locate(evidence, texts))
    return byText(shown, new Set(contradicted))
  }

/** What a check has found, by the claims that it quotes: `"text", but …; "text", but …`. */
function locate(evidence: string, texts: readonly string[]): Refutation[] {
  const quoted = texts
    .map((text) => ({ text, start: evidence.indexOf(`"${text}"`) }))
    .filter(({ start }) => start !== -1)
    .sort((a, b) => a.start - b.start)
  if (quoted.length === 0) return [{ text: '', evidence }]
  return quoted.map(({ text, start }, index) => {
    const own = evidence.slice(start + text.length + 2, quoted[index + 1]?.start)
    return { text, evidence: own.replace(/^, but /, '').replace(/; $/, '') || evidence }
  })
}

/** One refutation for each statement. What no check has placed is about the claims that are contradicted without more. */
function byText(shown: readonly Refutation[], contradicted: ReadonlySet<string>): Refutation[] {
  const found = new Map<string, Set<string>>()
  for (const { text, evidence } of shown) found.set(text, (found.get(text) ?? new Set()).add(evidence))
  const bare = [...contradicted].filter((text) => !found.has(text))
  const unplaced = found.get('')
  for (const text of bare) found.set(text, unplaced ?? new Set(['it shows something else']))
  if (bare.length > 0) found.delete('')
  return [...found].map(([text, evidence]) => ({ text, evidence: [...evidence].join('; ').replace(/\s+/g, ' ') }))
}
