import type { Call } from '../../../text/calls/call.ts'

const LOOKS = /^(?:ls|cat|rm|mv|cp|grep|rg|find|git|sed|awk|head|tail|wc|touch|mkdir|sort|diff|chmod|echo)\b/
const RUNS_TESTS =
  /\b(?:tests?|specs?|unittest|jest|vitest|mocha|pytest|uvu|ava|tap|rspec|phpunit|playwright|cypress|ctest|tox|nox)\b|\btest_|_test\b|\btests?[./]/
/** Commands that run all tests of a project, with options that only change what they print. */
const WHOLE =
  /^(?:(?:npm|pnpm|yarn|bun)(?: run)? test|node --test|(?:python3? -m )?pytest|python3? -m unittest|cargo test|go test \.\/\.\.\.|make test)(?: (?:--|-s|-q|-v{1,2}|--(?:silent|quiet|verbose|color|no-color)|--(?:test-)?reporter[= ][a-z]+))*$/
/** Programs that change nothing. */
const ONLY_LOOKS =
  /^(?!.* --output)(?:ls|cat|grep|rg|head|tail|wc|pwd|echo|diff|sed -n [\d,]+p|git (?:status|diff|log|show|blame|ls-files))(?=\s|$)[^;&|<>`$\n]*$/
const SOME_PASSED = /\b[1-9]\d{0,5} (?:passed|passing)\b|(?:#|ℹ) pass [1-9]|\bRan [1-9]\d{0,5} tests? in |^ok\s+\S+\s/m
const SELECTS =
  /(?:^|\s)(?:\S{0,200}[\w-](?:\.|_)(?:test|spec)\.\w{1,4}|\S{0,200}\btests?[/.]\S{0,200}|test_\w{1,100}\S{0,200}|\S{1,200}::\S{1,200}|--?(?:grep|filter|test-name-pattern|testNamePattern|run|k|t)(?=[\s=])\S{0,200})/
const HIDES_EXIT = /\|(?!\|)|\|\|\s*true\b|;\s*(?:true|exit 0|echo)\b/
const REPORTS = /\b\d{1,6} (?:passed|passing)\b|(?:#|ℹ) pass \d|\bRan \d{1,6} tests? in /
const FAILS =
  /\b[1-9]\d{0,5} (?:failed|failing|errors?)\b|(?:#|ℹ) (?:fail|cancelled) [1-9]|(?:^|std\w{3}: )(?:not ok \d|FAILED\b|FAIL\b)/m

/**
 * The runs of tests among some calls, also by a program that does not say so and whose output is a report of tests. A run
 * that was denied, or that no report tells of, is none.
 */
export const toTestRuns = (calls: readonly Call[]) =>
  calls
    .filter((call) => call.status === 'completed' && (runsTests(call) || isReport(call)))
    .map((call) => {
      const { text, command, exitCode } = call
      // An exit code that a pipe hides says nothing, and without one the report must tell.
      const ended = exitCode === undefined || HIDES_EXIT.test(command) ? REPORTS.test(text) : exitCode === 0
      return {
        call,
        passed: ended && !FAILS.test(text),
        /** It ran a file, a folder or a selection. */
        isLimited: SELECTS.test(command),
        /** It is known to have run all that the project has, and one test at least. */
        isWhole: WHOLE.test(command) && SOME_PASSED.test(text),
      }
    })

/** Whether a call may have changed files here. */
export const mayChange = (call: Call): boolean =>
  call.runs
    ? call.status === 'completed' && !ONLY_LOOKS.test(call.command) && !WHOLE.test(call.command)
    : call.acts && call.risk !== 'network' && call.succeeded

const isReport = ({ isOpaque, command, text }: Call): boolean =>
  isOpaque && !LOOKS.test(command) && REPORTS.test(text) && !REPORTS.test(command)

/** Whether a program, and no other one after it, only looks. */
export const onlyLooks = ({ command }: Call): boolean => LOOKS.test(command) && !/[;&|\n]/.test(command)

export function runsTests({ runs, tool, command, writesFile }: Call): boolean {
  if (writesFile || (!runs && !/(?:^|[_-])tests?(?:$|[_-])/i.test(tool))) return false
  return command === '' ? /test/i.test(tool) : !LOOKS.test(command) && RUNS_TESTS.test(command)
}
