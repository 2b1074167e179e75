import type { Claim } from '../../../contracts/stages/claim.ts'
import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import type { Material } from '../material.ts'
import { toStatedSentences } from './find-statements.ts'
import { evidenceOf } from '../rules/rule.ts'

type What = 'tests' | 'build' | 'lint' | 'types' | 'works'

const GOOD = String.raw`(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is |are |was |were |now |again |all |both |completely )*(?:green|successful|clean|happy|ok|stable)\b|(?:complet|finish|end|r[au]n)(?:ed)? (?:successfully|cleanly|without (?:an? |any )?(?:failures?|errors?|problems?|warnings?)))`
// What separates words is no part of them, so that there is one way to read a text.
const GAP = String.raw`(?:[\s:,;()-]{1,3}(?!(?:and|but|or|before|so|because)\b)[^\s.:,;()-]{1,40}){0,6}?[\s:,;()-]{1,3}(?:✅\s)?`
const subject = (words: string) => new RegExp(String.raw`\b(?:${words})\b${GAP}${GOOD}`, 'i')
const CLAIMS: readonly { what: What; said: RegExp; runs: RegExp }[] = [
  {
    what: 'lint',
    said: new RegExp(
      String.raw`\b(?:lint(?:er|ing)?|eslint|biome|clippy|ruff|flake8|prettier|stylelint)\b(?:${GAP}${GOOD}|[^.\n]{0,40}\b(?:no|zero|0|without|no longer \w{1,12}|any) (?:more )?(?:errors?|problems?|warnings?|findings?|issues?|violations?))`,
      'i',
    ),
    runs: /\b(?:lint|eslint|biome|clippy|ruff|flake8|prettier|stylelint|check|fmt|vet|format)\b/,
  },
  {
    what: 'types',
    said: new RegExp(
      String.raw`\b(?:type[- ]?check(?:er|ing|s)?|types|tsc|mypy|pyright)\b(?:${GAP}${GOOD}|[^.\n]{0,40}\bno errors?)`,
      'i',
    ),
    runs: /\b(?:tsc|types?|typecheck|mypy|pyright|check|build|vet)\b/,
  },
  {
    what: 'build',
    said: new RegExp(
      String.raw`\b(?:build|compilation|pipeline|ci|image|bundle)\b${GAP}(?:${GOOD}|built successfully)|\b(?:it|which|project|code|program|crate|app|everything) (?:now )?(?:compiles|builds)\b(?! to)|^(?:yes, )?(?:it )?compiles\b`,
      'i',
    ),
    runs: /\b(?:build|compile|tsc|make|cmake|gcc|g\+\+|clang|rustc|javac|cargo|go|mvn|gradle|dotnet|webpack|vite|rollup|docker|check|test)\b/,
  },
  {
    what: 'tests',
    said: new RegExp(
      String.raw`${subject('tests?|specs?|suite|test cases?|checks?|pytest|jest|vitest|mocha|everything').source}|\b\d+(?:/\d+)? (?:tests? )?pass(?:ed|es|ing)\b|\b(?:tests?|suite)\b[^.\n]{0,60}\bwithout (?:an? |any )?(?:failures?|errors?)\b|\b(?:ok|all),? 0 failures\b|\bpass(?:ed|es) all (?:\w+ )?tests\b|\ball of (?:them|the tests) pass|\b(?:test|tests)\b[^.\n]{0,80}; (?:it|they|all) pass(?:es|ed)?\b`,
      'i',
    ),
    runs: /\b(?:tests?|specs?|jest|vitest|mocha|pytest|unittest|uvu|ava|tap|rspec|phpunit|playwright|cypress|coverage|verify|ci|check|bench)\b/,
  },
  {
    what: 'works',
    said: /\b(?:i|we)(?:'ve| have)?(?: also| just| now)? (?:tested|verified|confirmed|tried|executed) [^.\n]{0,80}\b(?:works?|worked|fix|correct(?:ly)?|right results?|as expected|successfully)\b/i,
    runs: /./,
  },
]
const HEDGES =
  /\b(?:should|would|will|if|once|when|whenever|until|unless|ensure|make sure|to verify|to see|so that|must|can(?!\w)|could|expected to|not|isn't|aren't|doesn't|don't|didn't|never|before|after you|assum\w*|whether|need to|has to|have to|yet to|turns?|then (?:the|all|your|it|they))\b/i
/** Says itself that something failed. */
const ADMITS =
  /\b(?:[1-9]\d{0,5}|one|two|three|four|five|some|several|other|few) (?:of them |more |tests? |still )?(?:fail(?:s|ed|ing|ures?)?|errors?)\b|\bstill fail|\b(?:first|earlier|previous) (?:build|run|test)s? failed/i
const BAD =
  /\b[1-9]\d{0,5} (?:tests? )?(?:failed|failing|failures?|errors?)\b|\bFAIL(?:ED)?\b|\bexit(?:ed)?(?: with)?(?: code| status)?:? ?[1-9]\d{0,2}\b|\berror TS\d/
const REPORT = /\b(?:pass(?:ed|es|ing)?|succeeded|success(?:ful)?|green|ok\b|0 fail)/i
/** Files that no test reads. */
const PROSE = /\.(?:md|mdx|txt|rst|log|csv|html?|pdf)$/i

/**
 * What an answer says of tests, builds and checks, held against the last command that ran them: it must have ended with
 * 0, and nothing may have been edited after it.
 */
export function verifyTests({ prose, calls, evidenceText, standsElsewhere }: Material): Claim[] {
  const claims: Claim[] = []
  for (const stated of toStatedSentences(prose, standsElsewhere)) {
    if (HEDGES.test(stated) || ADMITS.test(stated) || stated.endsWith('?')) continue
    for (const { what, said, runs } of CLAIMS) {
      if (!said.test(stated)) continue
      const isOwn = /\b(?:i|we)(?:'ve)?\b/i.test(stated)
      const judged = judge(calls, runs, what)
      // What somebody else's text says of tests is reported, not claimed.
      if (judged.verdict === 'unsupported' && !isOwn && REPORT.test(evidenceText)) continue
      claims.push({ text: excerpt(stated, 200), kind: 'test', ...judged })
      break
    }
  }
  return claims
}

function judge(calls: readonly Call[], runs: RegExp, what: What): Pick<Claim, 'verdict' | 'evidence'> {
  const ran = calls.filter(
    (call) => isRun(call, runs, what) && call.status !== 'requested' && call.status !== 'running',
  )
  const last = ran.findLast(({ status }) => status === 'completed')
  const tried = ran.at(-1)
  if (tried === undefined) return { verdict: 'unsupported', evidence: [] }
  if (last === undefined) return { verdict: 'contradicted', evidence: [evidenceOf(tried)] }
  const { exitCode } = last
  if (exitCode === undefined ? BAD.test(last.text) : exitCode !== 0)
    return { verdict: 'contradicted', evidence: [evidenceOf(last)] }
  const edit = calls.find(
    (call) => call.index > last.index && call.writesFile && call.succeeded && !PROSE.test(call.path ?? ''),
  )
  if (edit !== undefined) return { verdict: 'contradicted', evidence: [evidenceOf(last), evidenceOf(edit)] }
  return { verdict: 'supported', evidence: [evidenceOf(last)] }
}

function isRun(call: Call, runs: RegExp, what: What): boolean {
  if (call.writesFile || (!call.runs && !/(?:^|[_-])(?:tests?|build|lint|check)/i.test(call.tool))) return false
  return what === 'works' || runs.test(call.words) || (call.isOpaque && REPORT.test(call.text))
}
