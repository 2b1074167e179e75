import type { Complexity } from '@svc/core'

/** An analysis as a person reads it. */
export function renderComplexity(complexity: Complexity): string {
  const { score, recommendedTopology, confidence, agents, alternatives, explanation, openQuestions, contributions } =
    complexity
  const strongest = Object.entries(contributions)
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5)
  return [
    `Difficulty ${score.toFixed(2)}; ${recommendedTopology} with ${agents} ${agents === 1 ? 'agent' : 'agents'} (confidence ${confidence.toFixed(2)})`,
    ...explanation.map((sentence) => `  ${sentence}`),
    ...(strongest.length > 0
      ? [`Made of: ${strongest.map(([name, value]) => `${name} ${value.toFixed(3)}`).join(', ')}`]
      : []),
    `Next best: ${alternatives
      .slice(0, 2)
      .map(({ topology, utility }) => `${topology} ${utility.toFixed(2)}`)
      .join(', ')}`,
    ...openQuestions.map((question) => `Open: ${question}`),
  ].join('\n')
}
