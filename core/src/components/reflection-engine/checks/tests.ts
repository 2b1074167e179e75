import { type Check, excerpt, fail, NOT_APPLICABLE, pass } from '../check.ts'
import type { Call, Material } from '../material.ts'
import { toSentences } from '../shape.ts'

const CLAIM =
  /\b(?:(?:all|the|every|unit|both|\d+(?:\/\d+)?)\s(?:\w+\s){0,2}(?:tests?|specs?|checks?)\s(?:now\s|all\s|have\s|has\s|are\s)?(?:pass(?:ed|es|ing)?|succeed(?:ed|s)?|green)|tests? (?:now |all |are |have )?(?:pass(?:ed|es|ing)?|green)\b|(?:the )?(?:build|compilation|test suite|suite|type-?check|lint(?:er)?) (?:now |is |has |was )?(?:pass(?:ed|es|ing)?|succeed(?:ed|s)?|successful|green|clean)|\d+ passed\b|(?:i|we)(?:'ve| have)? (?:ran|run|executed) (?:all |the |unit |npm )*tests?)/i
const HEDGES =
  /\b(?:should|would|will|if|once|when|until|unless|ensure|make sure|verify|check that|to see|so that|must|can|expected to|not|n't|never|before|after you|assum)/i
const RUNS =
  /\b(?:test|tests|spec|jest|vitest|mocha|pytest|uvu|tap|build|compile|tsc|lint|check|cargo|gradle|mvn|make|npm|yarn|pnpm|go)\b/i
const RUNNER =
  /(?:^|[_-])(?:run|exec|execute|shell|bash|command|terminal|process|test|tests|build|python|node)(?:$|[_-])/i
const BAD =
  /\b[1-9]\d{0,5} (?:tests? )?(?:failed|failing|failures?|errors?)\b|\bFAIL(?:ED)?\b|\bexit(?:ed)?(?: with)?(?: code| status)?:? ?[1-9]\d{0,2}\b|\berror TS\d/
const REPORT = /\b(?:pass(?:ed|es|ing)?|succeeded|ok\b|0 fail)/i

/** A claim that tests or a build pass has a run behind it, and that run passed. */
export const tests: Check = {
  id: 'tests',
  critical: true,
  trust: 0.95,
  lesson: {
    trigger: 'a claim that tests or a build pass',
    cause: '3.2',
    advice: 'Run them after the last change and report what they printed.',
  },
  look(material) {
    const claim = toSentences(material.prose.replaceAll('’', "'")).find(
      (sentence) => CLAIM.test(sentence) && !HEDGES.test(sentence),
    )
    const last = material.calls.filter(isRun).at(-1)
    if (claim === undefined) return NOT_APPLICABLE
    if (last === undefined) {
      if (isReported(material)) return pass()
      return fail(
        `"${excerpt(claim)}", but no tool call ran anything`,
        'Run the tests and report their output, or do not claim it.',
      )
    }
    const code = exitCode(last.result)
    if (last.status === 'completed' && (code ?? 0) === 0 && !BAD.test(last.text)) return pass()
    return fail(
      `"${excerpt(claim)}", but ${last.tool} ended with ${code === undefined ? 'failures' : `exit code ${code}`}: ${excerpt(last.text.slice(-400), 200)}`,
      'Mend what failed, run it again, and report what it printed.',
    )
  },
}

function isRun(call: Call): boolean {
  if (call.status === 'open' || call.status === 'denied') return false
  const args = JSON.stringify(call.args) ?? ''
  return RUNNER.test(call.tool) || (call.risk === 'execute' && RUNS.test(args)) || exitCode(call.result) !== undefined
}

/** Whether something that was read says it: then the claim is a report about a text. */
const isReported = ({ calls }: Material): boolean =>
  calls.some((call) => call.status === 'completed' && REPORT.test(call.text) && CLAIM.test(call.text))

/** The exit code in a tool's result, where it has one. */
export function exitCode(result: unknown): number | undefined {
  if (typeof result !== 'object' || result === null) return undefined
  for (const name of ['exitCode', 'exit_code', 'code', 'status']) {
    const value: unknown = (result as Record<string, unknown>)[name]
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256) return value
  }
  return undefined
}
