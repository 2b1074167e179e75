import type { Call } from '../../../text/calls/call.ts'
import { type Outcome, runsTests, type TestRun, toTestRuns } from '../evidence/test-runs.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { ALL, BEFORE, DENIES, PLANS, toClauses, WHOLE, withoutQuotes } from '../told/language.ts'
import { asksForDeed, asksForText } from '../told/task.ts'
import { evidenceOf, type Holding, type Rule } from './rule.ts'

const words = (list: string, signs: string): string => `(?:(?<![\\p{L}\\d_])(?:${list})(?![\\p{L}\\d_])|${signs})`
const TESTS = new RegExp(
  words(
    'tests?|pytest|jest|vitest|unittest|test[- ]?suites?|suites?|specs?|testf[aä]ll\\p{L}*|prüfung\\p{L}*',
    'テスト',
  ),
  'iu',
)
const STATES: readonly (readonly [state: Outcome, said: string])[] = [
  [
    'passed',
    words(
      'pass(?:e|es|ed|ent|ing|é\\p{L}*)?|green|succe\\p{L}*|ok|fehlerfrei|bestanden|bestehen|grün|erfolgreich|durch|réuss\\p{L}*|verte?s?',
      '成功|合格|通[っりる]|パス|✅',
    ),
  ],
  [
    'failed',
    words(
      'fail\\p{L}*|red|broken|errors?|fehlgeschlagen|scheiter\\p{L}*|gescheitert|fehlschl\\p{L}*|rot|échou\\p{L}*|échec\\p{L}*|rouge',
      '失敗|落ち|❌',
    ),
  ],
  ['skipped', words('skipp?\\p{L}*|ignor\\p{L}*|übersprungen', 'スキップ')],
]
const [PASSED = /$^/u, FAILED = /$^/u] = STATES.map(([, said]) => new RegExp(said, 'iu'))
const NOT = /(?<![\p{L}])(?:not|never|nicht|pas)(?![\p{L}])|n['’]t\b/iu
const AFTER = /(?<!\p{L})(?:after|afterwards|now|then|danach|jetzt|nun|nach|après|maintenant|désormais)(?!\p{L})|後/iu
const NO_FAILURE =
  /(?<!\p{L})(?:0|no|without(?: an?| any)?|keine?|ohne|sans|aucune?)\s(?:more\s)?(?:fail\p{L}*|errors?|problems?|fehler|échecs?|erreurs?)(?!\p{L})/giu
const RAN = /(?<![\p{L}])(?:ran|run|executed|laufen|gelaufen|ausgeführt|lancé\p{L}*|exécuté\p{L}*)(?![\p{L}])|実行/iu
/** A file, or the name of one test. */
const NAMES = /["“„«「]|[\w-]+(?:\.\w{1,5}|_\w+)(?!\w)/
const SHORTEST_NAME = 4
const LONGEST_STATEMENT = 1_000
/** Files that no test reads. */
const PROSE = /\.(?:md|mdx|txt|rst|log|csv|html?|pdf)$/i
const REPORT = /\b(?:pass(?:ed|es|ing)?|succeeded|green|0 fail)/i

/** What is said of tests is what their runs reported: counts, names, and whether all passed after the last edit. */
export const tests: Rule = {
  id: 'tests',
  trust: 0.95,
  lesson: {
    trigger: 'a claim that tests pass',
    cause: '3.2',
    advice: 'Run them after the last change and report what they printed.',
  },
  hint: 'Run them after the last change and report what they printed, or do not claim it.',
  hold({ text: said, leaf }, material) {
    if (said.length > LONGEST_STATEMENT || leaf !== undefined || said.startsWith('>')) return undefined
    const { runs, edits } = material.once('test-runs', () => toHistory(material.calls))
    const text = withoutQuotes(said)
    const failed = holdProgram(text.replace(NO_FAILURE, ' passed '), material.calls)
    if (failed !== undefined) return failed
    const asksForTests = TESTS.test(material.task.description) && runs.length > 0
    const names = runs.flatMap(({ outcomes }) => [...outcomes.keys()]).filter((name) => isNamed(name, said))
    const isCount = runs.length > 0 && Object.keys(toCounts(text)).length > 1
    if (!TESTS.test(text) && !asksForTests && !isCount && names.length === 0) return undefined
    const first = edits[0]?.index ?? Number.POSITIVE_INFINITY
    const last = edits.at(-1)?.index ?? -1
    const isEarly = BEFORE.test(text)
    let isEarlier = false
    let held: Holding | undefined
    for (const piece of isEarly ? toClauses(said) : [said]) {
      isEarlier = BEFORE.test(piece) || (isEarlier && !AFTER.test(piece))
      const meant = isEarlier ? runs.filter(({ call }) => call.index < first) : runs
      const own = names.filter((name) => isNamed(name, piece))
      if (isEarlier && edits.length > 0 && meant.length === 0 && tellsRun(text, own) && !PLANS.test(text))
        return contradict([], 'no tests ran before the first edit')
      const bare = withoutQuotes(piece).replace(NO_FAILURE, ' passed ')
      const found = [
        holdCounts(withoutQuotes(piece), meant, last),
        holdNames(piece, own, isEarlier, meant),
        isEarlier || own.length > 0 ? undefined : holdAll(bare, runs, last, material),
      ]
      const wrong = found.find((holding) => holding?.verdict === 'contradicted')
      if (wrong !== undefined) return wrong
      held ??= found.find((holding) => holding !== undefined)
    }
    return isEarly ? undefined : held
  },
}

/** A program that is named by a word of its command ended with an error. */
function holdProgram(text: string, calls: readonly Call[]): Holding | undefined {
  const programs = calls.filter((call) => call.runs && call.status === 'completed' && !runsTests(call))
  for (const clause of programs.length === 0 ? [] : toClauses(text)) {
    if (!PASSED.test(clause) || DENIES.test(clause) || PLANS.test(clause)) continue
    const said = toTokens(clause).filter((token) => /^\p{L}{4}/u.test(token))
    const last = programs.findLast(({ command }) => toTokens(command).some((token) => said.includes(token)))
    if (last !== undefined && !last.succeeded)
      return contradict([last], `${last.command} ended with exit code ${last.exitCode}`)
  }
  return undefined
}

/** The runs of tests, and the calls that changed something that tests may read. */
function toHistory(calls: readonly Call[]): { runs: readonly TestRun[]; edits: readonly Call[] } {
  return {
    runs: toTestRuns(calls),
    edits: calls.filter((call) => call.writesFile && call.succeeded && !PROSE.test(call.path ?? '')),
  }
}

const saysState = (text: string): boolean => PASSED.test(text) || FAILED.test(text)
const tellsRun = (text: string, names: readonly string[]): boolean =>
  saysState(text) && (names.length > 0 || (RAN.test(text) && TESTS.test(text)))
const contradict = (calls: readonly Call[], why: string): Holding => ({
  verdict: 'contradicted',
  kind: 'test',
  evidence: calls.map(evidenceOf),
  why,
})
/** A name of one plain word counts in quotation marks only. */
const isNamed = (name: string, text: string): boolean => {
  const at = name.length < SHORTEST_NAME ? -1 : text.indexOf(name)
  return at !== -1 && (/[\s_]|[a-z][A-Z]/.test(name) || /["“„«「`]\s?$/.test(text.slice(Math.max(0, at - 2), at)))
}

const COUNT = '(\\d{1,6})'
const OF = new RegExp(`${COUNT}\\s?(?:of|von|sur|/|out of)\\s?(?:the\\s|den\\s|les\\s)?${COUNT}`, 'iu')
const TOTAL = new RegExp(`${COUNT}\\s(?:tests?|specs?)(?=[,.:;]|$)`, 'iu')

type Counts = Partial<Record<Outcome | 'total', number>>

/** How many tests a text says ended how. */
function toCounts(text: string): Counts {
  const digits = text.replace(/\p{L}+/gu, (word) => {
    const [token = word] = toTokens(word)
    return /^\d+$/.test(token) ? token : /^(?:both|beiden?|deux)$/i.test(word) ? '2' : word
  })
  const counts: Counts = {}
  const parts = digits.split(
    /[,;、。](?!\d)|(?<!\p{L})(?:and|und|et|but|aber|mais)(?!\p{L})(?!\s(?:succe|pass|green))/iu,
  )
  for (const part of parts) {
    const of = OF.exec(part)
    const total = of?.[2] ?? TOTAL.exec(part)?.[1]
    if (total !== undefined && (of === null || counts.total === undefined)) counts.total = Number(total)
    for (const [state, said] of STATES) {
      const found = new RegExp(
        `${COUNT}(?:\\s?(?:of|von|sur|/|out of)\\s?(?:the\\s|den\\s|les\\s)?\\d{1,6})?(?![\\d.]*[.,:]?\\d)(?!\\s?%)[^\\d.]{0,40}?${said}|${said}:\\s{0,2}${COUNT}`,
        'iu',
      ).exec(part)
      const count = found?.[1] ?? found?.[2]
      if (found === null || count === undefined) continue
      const meant = state === 'passed' && NOT.test(found[0]) ? 'failed' : state
      counts[meant] ??= Number(count)
    }
  }
  return counts
}

function holdCounts(text: string, runs: readonly TestRun[], lastEdit: number): Holding | undefined {
  const said = Object.entries(toCounts(text))
  const counted = runs.filter(({ counts }) => counts !== undefined)
  if (said.length === 0 || counted.length === 0 || (!saysState(text) && !TESTS.test(text)) || PLANS.test(text))
    return undefined
  const fits = counted.findLast(({ counts = {} as Counts }) =>
    said.every(([kind, count]) => counts[kind as Outcome] === count),
  )
  if (fits === undefined) {
    const [last] = counted.slice(-1)
    const { passed, failed, skipped, total } = last?.counts ?? { passed: 0, failed: 0, skipped: 0, total: 0 }
    return contradict(
      last ? [last.call] : [],
      `the run reports ${passed} passed, ${failed} failed, ${skipped} skipped of ${total}`,
    )
  }
  if (
    fits.call.index < lastEdit ||
    !tellsOnly(
      text,
      [],
      said.map(([, count]) => String(count)),
    )
  )
    return undefined
  return { verdict: 'supported', kind: 'test', evidence: [evidenceOf(fits.call)] }
}

/** Whether a test of this name ended as each clause says. */
function holdNames(
  text: string,
  names: readonly string[],
  isEarlier: boolean,
  runs: readonly TestRun[],
): Holding | undefined {
  const held: Call[] = []
  for (const clause of toClauses(text)) {
    if (PLANS.test(clause)) continue
    for (const name of names.filter((one) => isNamed(one, clause))) {
      const rest = clause.replaceAll(name, ' ')
      const state: Outcome | undefined =
        FAILED.test(rest) || (PASSED.test(rest) && NOT.test(rest)) ? 'failed' : PASSED.test(rest) ? 'passed' : undefined
      if (
        state === undefined ||
        (state === 'failed' && /(?<!\p{L})(?:no longer|nicht mehr|plus|0)(?!\p{L})/iu.test(rest))
      )
        continue
      const ended = runs.filter(({ outcomes }) => outcomes.has(name))
      const fits = ended.findLast(({ outcomes }) => outcomes.get(name) === state)
      const latest = ended.at(-1)
      if (
        latest !== undefined &&
        (fits === undefined || (state === 'passed' && !isEarlier && latest.outcomes.get(name) === 'failed'))
      )
        return contradict([latest.call], `${name} ${latest.outcomes.get(name)}`)
      if (fits !== undefined) held.push(fits.call)
    }
  }
  if (held.length === 0 || !tellsOnly(text, names)) return undefined
  return { verdict: 'supported', kind: 'test', evidence: [...new Set(held)].map(evidenceOf) }
}

/** That tests pass needs a run of them after the last edit that passed. */
function holdAll(text: string, runs: readonly TestRun[], lastEdit: number, material: Material): Holding | undefined {
  const clauses = toClauses(text)
  const isSubject = (clause = ''): boolean => TESTS.test(clause) && !NAMES.test(clause)
  const telling = clauses.filter(
    (clause, at) =>
      PASSED.test(clause) &&
      (isSubject(clause) || isSubject(clauses[at - 1]) || (ALL.test(clause) && !NAMES.test(clause))),
  )
  const isDenied = telling.some((clause) => DENIES.test(clause)) || FAILED.test(text) || PLANS.test(text)
  const last = runs.at(-1)
  const said = Object.values(toCounts(text))
  if (telling.length === 0) return undefined
  if (isDenied) {
    const isHonest =
      last !== undefined && !last.passed && telling.every((clause) => NOT.test(clause)) && !PLANS.test(text)
    return isHonest && tellsOnly(text, [])
      ? { verdict: 'supported', kind: 'test', evidence: [evidenceOf(last.call)] }
      : undefined
  }
  const { calls, task } = material
  if (last === undefined) {
    // Another program may have run them, and what somebody else's text says of tests is reported.
    if (
      asksForText(task.description) ||
      (calls.length === 0 && !asksForDeed(task.description)) ||
      REPORT.test(material.evidenceText) ||
      calls.some((call) => call.runs && call.isOpaque && call.succeeded)
    )
      return undefined
    const tried = calls.filter((call) => call.missed && runsTests(call))
    return contradict(tried, tried.length > 0 ? 'the tests did not run' : 'no call ran tests')
  }
  // Counts that fit a run are true of it.
  if (!last.passed) return said.length > 0 ? undefined : contradict([last.call], 'the run of the tests failed')
  if (last.call.index < lastEdit) return contradict([last.call], 'something was edited after the tests ran')
  if (runs.every(({ isLimited }) => isLimited) && WHOLE.test(text))
    return contradict([last.call], `only a part of the tests ran: ${last.call.command}`)
  if ((last.counts?.skipped ?? 0) > 0 || last.isLimited || !tellsOnly(text, [])) return undefined
  return { verdict: 'supported', kind: 'test', evidence: [evidenceOf(last.call)] }
}

const TELLING: ReadonlySet<string> = new Set(
  toTokens(
    'tests test suite ran run result results pass passes passed fail fails failed failing skipped green red total executed change changes fix edit afterwards now result unit case cases shows show reports succeeded successfully order ist sind grün laufen alle jetzt nun les tous désormais maintenant de la le',
  ),
)

/** Whether a text has no word beside how tests ended: names and commands aside. */
function tellsOnly(text: string, names: readonly string[], counts: readonly string[] = []): boolean {
  const bare = names.reduce((rest, name) => rest.replaceAll(name, ' '), text.replace(/`[^`\n]{1,200}`/g, ' '))
  return toTokens(bare).every((token) => TELLING.has(token) || counts.includes(token))
}
