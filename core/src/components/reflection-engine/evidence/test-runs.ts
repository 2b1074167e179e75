import { type Call, fieldOf } from '../../../text/calls/call.ts'

export type Outcome = 'passed' | 'failed' | 'skipped'

/** One run of tests, as its program reported it. */
export interface TestRun {
  readonly call: Call
  /** Absent: the report has no counts. */
  readonly counts: Readonly<Record<Outcome | 'total', number>> | undefined
  /** By the test's name, as far as the report names them. */
  readonly outcomes: ReadonlyMap<string, Outcome>
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
const COUNTED =
  /\b(\d{1,6}) (passed|passing|failed|failing|skipped|ignored|pending|todo|errors?)\b|^(?:#|ℹ) (pass|fail|skipped|todo|cancelled) (\d{1,6})$/gm
const UNITTEST = /^Ran (\d{1,6}) tests? in /m
const UNITTEST_END = /^(?:OK|FAILED)(?: \(([^)\n]{1,200})\))?$/m
const NAMED: readonly [pattern: RegExp, name: number, state: number][] = [
  [/^\s{0,40}((?:not )?ok) \d{1,6} - (.{1,300}?)(?: # (?:SKIP|TODO).{0,200})?$/gm, 2, 0],
  [/^(\w{1,200}) \([\w.]{1,300}\)(?:\n.{0,300})? \.\.\. (ok|FAIL|ERROR|skipped)/gm, 1, 2],
  [/^(?:ERROR|FAIL): (\w{1,200}) \(/gm, 1, 0],
  [/^\S{1,300}::(\w{1,200}) (PASSED|FAILED|ERROR|SKIPPED)/gm, 1, 2],
  [/^(?:FAILED|ERROR) \S{1,300}::(\w{1,200})/gm, 1, 0],
  [/^test (\S{1,300}) \.\.\. (ok|FAILED|ignored)$/gm, 1, 2],
  [/^\s{0,20}--- (PASS|FAIL|SKIP): (\S{1,300})/gm, 2, 1],
  [/^\s{0,20}[✓✔✕✖✗×﹣○] (.{1,200}?)(?: \([\d.]{1,12} ?m?s\))?$/gm, 1, 0],
]

/** The runs of tests among some calls. A run that was denied, or that no report tells of, is none. */
export const toTestRuns = (calls: readonly Call[]): TestRun[] =>
  calls.filter((call) => call.status === 'completed' && runsTests(call)).map(toRun)

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
  return {
    call,
    counts,
    outcomes: toOutcomes(report),
    passed: ended && !failed,
    isLimited: SELECTS.test(command),
  }
}

function toCounts(report: string): TestRun['counts'] {
  const counts = { passed: 0, failed: 0, skipped: 0, total: 0 }
  const ran = UNITTEST.exec(report)
  if (ran !== null) {
    const end = UNITTEST_END.exec(report.slice(ran.index))?.[1] ?? ''
    for (const [, kind = '', count] of end.matchAll(/(\w{1,30}(?: \w{1,30})?)=(\d{1,6})/g))
      counts[/skip|expected fail/.test(kind) ? 'skipped' : 'failed'] += Number(count)
    counts.total = Number(ran[1])
    counts.passed = counts.total - counts.failed - counts.skipped
    return counts
  }
  let isCounted = false
  // Jest counts suites as well, on a line of their own.
  const own = /^\s{0,8}Tests:?\s.{0,200}$/m.exec(report)?.[0] ?? report
  for (const [, first, word, mark, second] of own.matchAll(COUNTED)) {
    const kind = word ?? mark ?? ''
    // What failed alone does not say how many there are.
    isCounted ||= /^pass/.test(kind)
    counts[/^pass/.test(kind) ? 'passed' : /^(?:fail|err|cancel)/.test(kind) ? 'failed' : 'skipped'] += Number(
      first ?? second,
    )
  }
  counts.total = counts.passed + counts.failed + counts.skipped
  return isCounted ? counts : undefined
}

function toOutcomes(report: string): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  for (const [pattern, name, state] of NAMED)
    for (const match of report.matchAll(pattern)) {
      const said = match[0].includes('# SKIP') ? 'skip' : (state === 0 ? match[0] : (match[state] ?? '')).trim()
      outcomes.set(
        match[name] ?? '',
        /skip|ignored|^[﹣○]/i.test(said) ? 'skipped' : /^(?:ok|pass|[✓✔])/i.test(said) ? 'passed' : 'failed',
      )
    }
  return outcomes
}
