import { contradict, type Holding, type Rule, support } from '../check.ts'
import { mayChange, runsTests, toTestRuns } from '../evidence/deeds.ts'
import { toTokens } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { ALL, asksForDeed, DENIES, NEGATED, PASSED, toClauses, toTelling, words } from '../told/language.ts'

const TESTS = words(
  'tests?|pytest|jest|vitest|unittest|test[- ]?suites?|suites?|specs?|testf[aä]ll\\p{L}*|prüfung\\p{L}*|テスト',
)
/** Tells a good end by what there was not. */
const NO_FAILURE =
  /(?<!\p{L})(?:0|no|without(?: an?| any)?|keine?|ohne|sans|aucune?)\s(?:more\s)?(?:fail\p{L}*|errors?|problems?|fehler|échecs?|erreurs?)(?!\p{L})/giu
const BEFORE = words(
  'before|previously|earlier|beforehand|already|first|vorher|zuvor|bereits|erst|zuerst|avant|déjà|auparavant|abord|前|以前|最初',
)
const WHOLE = words(
  'complete|entire|whole|full|gesamte[nrs]?|ganze[nrs]?|vollständige?[nrs]?|toute la|entière|complète|全テスト|全体',
)
const RAN = words('ran|run|executed|laufen|gelaufen|ausgeführt|lancé\\p{L}*|exécuté\\p{L}*|実行')
const PASSED_COUNT = /\b(\d{1,6}) (?:passed|passing)\b|(?:#|ℹ) pass (\d{1,6})/g
const SKIPPED = /\b[1-9]\d{0,5} skipped\b|(?:#|ℹ) skipped [1-9]|\bskipped=[1-9]/
/** "5 of 5". */
const EACH = /\b(\d{1,6})\s?(?:of|von|sur|\/|out of)\s?\1\b/i
/** A file, or the name of one test. */
const NAMES = /["“„«「]|[a-z][._][a-z]/i
/** Files that no test reads. */
const DOCUMENT = /\.(?:md|mdx|txt|rst|log|pdf)$/i

/** That tests pass is so where a run of them passed after the last edit; that all do, where it was one of all. */
export const tests: Rule = ({ told }, material) => {
  if (!TESTS.test(told) && !(ALL.test(told) && TESTS.test(material.task.description))) return undefined
  const clauses = toClauses(told.replace(NO_FAILURE, ' passed ')).filter((clause) => !BEFORE.test(clause))
  const text = clauses.join(', ')
  const speaks = (clause = '', of = TESTS): boolean => of.test(clause) && !NAMES.test(clause)
  const telling = clauses.filter(
    (clause, at) => PASSED.test(clause) && (speaks(clause) || speaks(clauses[at - 1]) || speaks(clause, ALL)),
  )
  if (telling.length === 0 || telling.some((clause) => DENIES.test(clause))) return undefined
  const runs = material.once('test-runs', () => toTestRuns(material.calls))
  const changes = material.calls.filter((call) => mayChange(call) && !DOCUMENT.test(call.path ?? ''))
  const lastEdit = changes.findLast(({ writesFile }) => writesFile)?.index ?? -1
  const last = runs.at(-1)
  if (last === undefined) return holdUnrun(text, lastEdit, material)
  const isOfEach = ALL.test(text) || EACH.test(text)
  // A right count of those that passed does not say that all did.
  const counts = toTokens(telling.join(' ')).filter((token) => /^\d/.test(token))
  const passed = [...last.call.text.matchAll(PASSED_COUNT)].map(([, before, after]) => before ?? after ?? '')
  const isCount = passed.length === 0 ? counts.length > 1 : counts.some((count) => passed.includes(count))
  if (!last.passed)
    return isCount && !isOfEach ? undefined : contradict('test', 'the run of the tests failed', last.call)
  if (last.call.index < lastEdit) return contradict('test', 'something was edited after the tests ran', last.call)
  const whole = runs.findLast(({ isLimited }) => !isLimited)
  const isMore = saysMore(text, passed.length === 1 ? passed : [])
  const isOfAll = WHOLE.test(text) || (whole !== undefined && ALL.test(text) && !isMore)
  if (isOfAll && !(whole?.passed && whole.call.index > lastEdit))
    return contradict('test', `only a part of the tests ran and passed: ${last.call.command}`, last.call)
  const isSkipped = SKIPPED.test(last.call.text)
  if (isSkipped && isOfEach) return contradict('test', 'some of the tests were skipped', last.call)
  const isChanged = changes.some(({ index }) => index > last.call.index)
  return !last.isWhole || isMore || isSkipped || isChanged ? undefined : support('test', [last.call])
}

/** No call is known to have run tests. Another program may have, and a text that was read may say that they passed. */
function holdUnrun(text: string, lastEdit: number, material: Material): Holding | undefined {
  const isOwn = RAN.test(text) || lastEdit >= 0 || asksForDeed(material)
  const mayHaveRun = material.done.some((call) => call.runs && mayChange(call)) || PASSED.test(material.evidenceText)
  const isDenied = toClauses(material.prose).some((clause) => RAN.test(clause) && NEGATED.test(clause))
  if (!isOwn || mayHaveRun || isDenied) return undefined
  const tried = material.calls.filter((call) => call.missed && runsTests(call))
  return contradict('test', tried.length > 0 ? 'the tests did not run' : 'no call ran tests', ...tried)
}

/** Whether a text says more than that tests passed: commands, and the number of those that did, aside. */
function saysMore(text: string, passed: readonly string[]): boolean {
  const said = [TESTS, PASSED, RAN, ALL, WHOLE].reduce(
    (rest, { source }) => rest.replace(new RegExp(source, 'giu'), ' '),
    text.replace(/`[^`\n]{1,200}`/g, ' '),
  )
  return toTelling(said).some((word) => !passed.includes(word))
}
