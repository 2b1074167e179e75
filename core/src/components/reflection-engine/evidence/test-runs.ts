import { type Call, fieldOf } from '../../../text/calls/call.ts'

/** How many tests ended how. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly total: number
}

/** One run of tests, as its program reported it. */
export interface TestRun {
  readonly call: Call
  /** Absent: the report has no counts. */
  readonly counts: TestCounts | undefined
  /** Everything that it ran passed. */
  readonly passed: boolean
  /** It ran a file, a folder or a selection, not all that the project has. */
  readonly isLimited: boolean
}

const LOOKS = /^(?:ls|cat|rm|mv|cp|grep|rg|find|git|sed|awk|head|tail|wc|touch|mkdir|sort|diff|chmod|echo)\b/
const RUNS_TESTS =
  /\b(?:tests?|specs?|unittest|jest|vitest|mocha|pytest|uvu|ava|tap|rspec|phpunit|playwright|cypress|ctest|tox|nox)\b|\btest_|_test\b|\btests?[./]/
const SELECTS =
  /(?:^|\s)(?:\S{0,200}[\w-](?:\.|_)(?:test|spec)\.\w{1,4}|\S{0,200}\btests?[/.]\S{0,200}|test_\w{1,100}\S{0,200}|\S{1,200}::\S{1,200}|--?(?:grep|filter|test-name-pattern|testNamePattern|run|k|t)(?=[\s=])\S{0,200})/
const HIDES_EXIT = /\|(?!\|)|\|\|\s*true\b|;\s*(?:true|exit 0|echo)\b/
/** "3 passed", "# pass 3", and of unittest "skipped=1" in its last line, which "Ran 3 tests" leads to. */
const COUNTED =
  /\b(\d{1,6}) (passed|passing|failed|failing|skipped|ignored|pending|todo|errors?)\b|^(?:#|ℹ) (pass|fail|skipped|todo|cancelled) (\d{1,6})$|\b(failures|errors|skipped|expected failures|unexpected successes)=(\d{1,6})/gm
const UNITTEST = /^Ran (\d{1,6}) tests? in /m

/**
 * The runs of tests among some calls, also by a program that does not say so and whose output is a report of tests. A run
 * that was denied, or that no report tells of, is none.
 */
export const toTestRuns = (calls: readonly Call[]): TestRun[] =>
  calls
    .filter((call) => call.status === 'completed' && (runsTests(call) || (call.isOpaque && !LOOKS.test(call.command))))
    .map(toRun)
    .filter(({ call, counts }) => runsTests(call) || (counts !== undefined && toCounts(call.command) === undefined))

/** Whether a program, and no other one after it, only looks. */
export const onlyLooks = ({ command }: Call): boolean => LOOKS.test(command) && !/[;&|\n]/.test(command)

export function runsTests({ runs, tool, command, writesFile }: Call): boolean {
  if (writesFile || (!runs && !/(?:^|[_-])tests?(?:$|[_-])/i.test(tool))) return false
  return command === '' ? /test/i.test(tool) : !LOOKS.test(command) && RUNS_TESTS.test(command)
}

function toRun(call: Call): TestRun {
  const { value, command, exitCode } = call
  const stdout = fieldOf(value, ['stdout'])
  const report = typeof stdout === 'string' ? `${stdout}\n${String(fieldOf(value, ['stderr']) ?? '')}` : call.text
  const counts = toCounts(report)
  const failed = (counts?.failed ?? 0) > 0 || /^(?:not ok \d|FAILED\b|FAIL\b)/m.test(report)
  // An exit code that a pipe hides says nothing, and without one the report must tell.
  const ended = exitCode === undefined || HIDES_EXIT.test(command) ? counts !== undefined : exitCode === 0
  return { call, counts, passed: ended && !failed, isLimited: SELECTS.test(command) }
}

function toCounts(report: string): TestCounts | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  let isCounted = false
  const ran = UNITTEST.exec(report)
  // Jest counts suites as well, on a line of their own.
  const own = ran === null ? (/^\s{0,8}Tests:?\s.{0,200}$/m.exec(report)?.[0] ?? report) : report.slice(ran.index)
  for (const [, first, word, mark, second, kind, third] of own.matchAll(COUNTED)) {
    const said = word ?? mark ?? kind ?? ''
    const state = /^pass/.test(said) ? 'passed' : /^(?:fail|err|cancel|unexp)/.test(said) ? 'failed' : 'skipped'
    // What failed alone does not say how many there are.
    isCounted ||= state === 'passed'
    counts[state] += Number(first ?? second ?? third)
  }
  const { passed, failed, skipped } = counts
  if (ran !== null) return { ...counts, passed: Number(ran[1]) - failed - skipped, total: Number(ran[1]) }
  return isCounted ? { ...counts, total: passed + failed + skipped } : undefined
}
