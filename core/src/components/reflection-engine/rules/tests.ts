import type { Call } from '../../../text/calls/call.ts'
import { type Outcome, runsTests, type TestRun, toTestRuns } from '../evidence/test-runs.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { ALL, BEFORE, DENIES, PLANS, toClauses, WHOLE, withoutQuotes } from '../told/language.ts'
import { asksForDeed, asksForText } from '../told/task.ts'
import { AFTER, type Counts, FAILED, NO_FAILURE, NOT, PASSED, RAN, TESTS, toCounts } from '../told/test-words.ts'
import { contradict, type Holding, type Rule, support } from './rule.ts'

/** A file, or the name of one test. */
const NAMES = /["“„«「]|[a-z][._][a-z]/i
const SHORTEST_NAME = 4
/** Names of tests beyond are not looked for. */
const MAX_NAMES = 2_000
const LONGEST_STATEMENT = 1_000
/** Files that no test reads. */
const PROSE = /\.(?:md|mdx|txt|rst|log|csv|html?|pdf)$/i
/** The name of a tool that may run tests. */
const CHECKS = /(?:^|[_-])(?:tests?|build|lint|check|verify|ci)(?:$|[_-])/i

/** What is said of tests is what their runs reported: counts, names, and whether all passed after the last edit. */
export const tests: Rule = {
  id: 'tests',
  isFirm: true,
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
    const names = material.once('test-names', () => toNames(runs)).filter((name) => isNamed(name, said))
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
        return contradict('test', 'no tests ran before the first edit')
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
      return contradict('test', `${last.command} ended with exit code ${last.exitCode}`, last)
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

const toNames = (runs: readonly TestRun[]): string[] =>
  [...new Set(runs.flatMap(({ outcomes }) => [...outcomes.keys()]))].slice(0, MAX_NAMES)
const saysState = (text: string): boolean => PASSED.test(text) || FAILED.test(text)
const tellsRun = (text: string, names: readonly string[]): boolean =>
  saysState(text) && (names.length > 0 || (RAN.test(text) && TESTS.test(text)))
/** A name of one plain word counts in quotation marks only. */
const isNamed = (name: string, text: string): boolean => {
  const at = name.length < SHORTEST_NAME ? -1 : text.indexOf(name)
  return at !== -1 && (/[\s_]|[a-z][A-Z]/.test(name) || /["“„«「`]\s?$/.test(text.slice(Math.max(0, at - 2), at)))
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
    const last = counted.at(-1)
    const { passed, failed, skipped, total } = last?.counts ?? { passed: 0, failed: 0, skipped: 0, total: 0 }
    return contradict('test', `${passed} passed, ${failed} failed, ${skipped} were skipped, of ${total}`, last?.call)
  }
  const counts = said.map(([, count]) => String(count))
  return fits.call.index < lastEdit || !tellsOnly(text, [], counts) ? undefined : support('test', [fits.call])
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
        return contradict('test', `${name} ${latest.outcomes.get(name)}`, latest.call)
      if (fits !== undefined) held.push(fits.call)
    }
  }
  return held.length === 0 || !tellsOnly(text, names) ? undefined : support('test', held)
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
    return isHonest && tellsOnly(text, []) ? support('test', [last.call]) : undefined
  }
  const { calls, task } = material
  if (last === undefined) {
    // Another program may have run them, and a text that was read may say that they passed.
    const isOwn = RAN.test(text) || lastEdit >= 0 || asksForDeed(task.description, true)
    const mayHaveRun = material.done.some((call) => call.runs || CHECKS.test(call.tool))
    if (!isOwn || mayHaveRun || asksForText(task.description) || PASSED.test(material.evidenceText)) return undefined
    const tried = calls.filter((call) => call.missed && runsTests(call))
    return contradict('test', tried.length > 0 ? 'the tests did not run' : 'no call ran tests', ...tried)
  }
  // Counts that fit a run are true of it.
  if (!last.passed) return said.length > 0 ? undefined : contradict('test', 'the run of the tests failed', last.call)
  if (last.call.index < lastEdit) return contradict('test', 'something was edited after the tests ran', last.call)
  if (runs.every(({ isLimited }) => isLimited) && WHOLE.test(text))
    return contradict('test', `only a part of the tests ran: ${last.call.command}`, last.call)
  if ((last.counts?.skipped ?? 0) > 0 || last.isLimited || !tellsOnly(text, [])) return undefined
  return support('test', [last.call])
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
