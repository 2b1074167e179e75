import type { Call } from '../../../text/calls/call.ts'
import { onlyLooks, runsTests, type TestCounts, type TestRun, toTestRuns } from '../evidence/test-runs.ts'
import type { Material } from '../material.ts'
import { statementsOf } from '../statements/to-statements.ts'
import { ALL, BEFORE, DENIES, NEGATED, PLANS, toClauses, WHOLE, withoutQuotes } from '../told/language.ts'
import { asksForDeed } from '../told/task.ts'
import { FAILED, NO_FAILURE, PASSED, RAN, saysMore, TESTS, toTold } from '../told/test-words.ts'
import { contradict, type Holding, type Rule, support } from './rule.ts'

/** A file, or the name of one test. */
const NAMES = /["“„«「]|[a-z][._][a-z]/i
const LONGEST_STATEMENT = 1_000
/** Files that no test reads. */
const PROSE = /\.(?:md|mdx|txt|rst|log|csv|html?|pdf)$/i

/** The runs of tests, and the place of the last call that changed something that tests may read. */
interface History {
  readonly runs: readonly TestRun[]
  readonly lastEdit: number
}

/** What is said of tests is what their runs reported: counts, and whether all passed after the last edit. */
export const tests: Rule = {
  id: 'tests',
  isFirm: true,
  lesson: {
    trigger: 'a claim that tests pass',
    cause: '3.2',
    advice: 'Run them after the last change and report what they printed.',
  },
  hold({ text: said, leaf }, material) {
    if (said.length > LONGEST_STATEMENT || leaf !== undefined || said.startsWith('>')) return undefined
    const history = material.once('test-history', () => toHistory(material.calls))
    const text = withoutQuotes(said)
    const isOfRun = TESTS.test(material.task.description) || toTold(text).length > 1
    const isMeant = TESTS.test(text) || (isOfRun && history.runs.length > 0)
    if (!isMeant || PLANS.test(text)) return undefined
    // What was so before the work, another run may have shown.
    const counts = BEFORE.test(text) ? undefined : holdCounts(text, history, material)
    return (
      counts ??
      holdAll(
        toClauses(text).filter((clause) => !BEFORE.test(clause)),
        history,
        material,
      )
    )
  },
}

const toHistory = (calls: readonly Call[]): History => ({
  runs: toTestRuns(calls),
  lastEdit: calls.findLastIndex((call) => call.writesFile && call.succeeded && !PROSE.test(call.path ?? '')),
})

/** The counts are those of a run; of the last one, where nothing else is said and nothing was edited after it. */
function holdCounts(text: string, { runs, lastEdit }: History, material: Material): Holding | undefined {
  const told = toTold(text)
  const counted = runs.filter(({ counts }) => counts !== undefined)
  const last = counted.at(-1)
  if (told.length === 0 || last?.counts === undefined) return undefined
  const fits = counted.findLast(({ counts }) => told.every(([kind, count]) => counts?.[kind] === count))
  const isOld =
    fits === undefined ||
    fits.call.index < lastEdit ||
    fits !== runs.findLast(({ call }) => call.command === fits.call.command)
  if (fits === undefined || (isOld && runs.at(-1)?.passed === false && !admits(text, last.counts, material))) {
    const { passed, failed, skipped, total } = last.counts
    return contradict('test', `${passed} passed, ${failed} failed, ${skipped} were skipped, of ${total}`, last.call)
  }
  const counts = told.map(([, count]) => String(count))
  const isLatest = fits === runs.at(-1) && !isOld && !(fits.isLimited && ALL.test(text))
  return isLatest && !saysMore(text, counts) ? support('test', [fits.call]) : undefined
}

/** Whether a statement tells of a failure, or another one of the answer tells how many the last run had. */
const admits = (text: string, { failed }: TestCounts, material: Material): boolean =>
  FAILED.test(text.replace(NO_FAILURE, ' ')) ||
  (failed > 0 &&
    statementsOf(material).some((one) =>
      toTold(one.text).some(([kind, count]) => kind === 'failed' && count === failed),
    ))

/** That tests pass needs a run of them after the last edit that passed. */
function holdAll(said: readonly string[], { runs, lastEdit }: History, material: Material): Holding | undefined {
  const clauses = said.map((clause) => clause.replace(NO_FAILURE, ' passed '))
  const text = clauses.join(', ')
  const isSubject = (clause = ''): boolean => TESTS.test(clause) && !NAMES.test(clause)
  const telling = clauses.filter(
    (clause, at) =>
      PASSED.test(clause) &&
      (isSubject(clause) || isSubject(clauses[at - 1]) || (ALL.test(clause) && !NAMES.test(clause))),
  )
  if (telling.length === 0 || telling.some((clause) => DENIES.test(clause)) || FAILED.test(text)) return undefined
  const last = runs.at(-1)
  if (last === undefined) return holdUnrun(text, lastEdit, material)
  // Counts that fit a run are true of it.
  if (!last.passed)
    return toTold(text).length > 0 ? undefined : contradict('test', 'the run of the tests failed', last.call)
  if (last.call.index < lastEdit) return contradict('test', 'something was edited after the tests ran', last.call)
  const whole = runs.findLast(({ isLimited }) => !isLimited)
  const isOfAll = whole === undefined ? WHOLE.test(text) : (ALL.test(text) || WHOLE.test(text)) && !saysMore(text)
  if (isOfAll && !(whole?.passed && whole.call.index > lastEdit))
    return contradict('test', `only a part of the tests ran and passed: ${last.call.command}`, last.call)
  return (last.counts?.skipped ?? 0) > 0 || last.isLimited || saysMore(text) ? undefined : support('test', [last.call])
}

/** No call is known to have run tests. Another program may have, and a text that was read may say that they passed. */
function holdUnrun(text: string, lastEdit: number, material: Material): Holding | undefined {
  const isOwn = RAN.test(text) || lastEdit >= 0 || asksForDeed(material)
  const mayHaveRun = material.done.some((call) => call.runs && !onlyLooks(call)) || PASSED.test(material.evidenceText)
  const isDenied = toClauses(material.prose).some((clause) => RAN.test(clause) && NEGATED.test(clause))
  if (!isOwn || mayHaveRun || isDenied) return undefined
  const tried = material.calls.filter((call) => call.missed && runsTests(call))
  return contradict('test', tried.length > 0 ? 'the tests did not run' : 'no call ran tests', ...tried)
}
