import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../../../text/index.ts'
import { toTokens } from '../figures/figures.ts'
import type { Material } from '../material.ts'

const STATE = /^(?:status|state|statut|état|zustand|stato|状態)$/i
/** A state in the result of a call by which it has not done what was asked, at least not yet. */
const NOT_DONE =
  /^(?:queued|pending.*|running|processing|waiting.*|awaiting.*|requires.*|needs.*|not .*|unconfirmed|bounced|undelivered|blocked|skipped|expired|timed? ?out|dry[ _-]run|simulated|cancell?ed|in[ _-]?progress|scheduled|draft|held|on[ _-]hold|partial(?:ly.*)?|rejected|failed|denied|declined|error|en[ _]attente|refusée?|rejetée?|wartend|ausstehend|in bearbeitung|abgelehnt|保留|処理中|失敗)$/i
/** Longer arguments, and those of these names, are content, and no names of what a call is about. */
const LONGEST_NAME = 80
const CONTENT = /^(?:content|text|body|message|data|comment|note|description|value|betreff|objet|edits)$/i

/** What the calls of a run did, worked out once. */
export const deedsOf = ({ calls, once }: Material) =>
  once('deeds', () => {
    const done = calls.filter((call) => call.acts && call.succeeded && !(call.runs && runsTests(call)))
    const unmended = calls.flatMap((call) => {
      const why = call.status === 'completed' && runsTests(call) ? undefined : whyMissed(call)
      const isMended = why === undefined || calls.slice(call.index + 1).some((later) => makesGood(later, call))
      return isMended ? [] : [{ call, why }]
    })
    const changed = unmended.length === 0 ? [] : calls.filter((call) => call.acts && mayHaveChanged(call))
    const others = new Set(changed.flatMap(namesOf))
    const missed = unmended.map(({ call, why }) => {
      // The words by which a sentence means this call, and no other one that succeeded.
      const names = namesOf(call).filter((name) => !others.has(name))
      const targets = calls.filter(({ tool }) => tool === call.tool).map((one) => targetsOf(one)[0])
      return { call, why, names, tried: new Set(targets).size }
    })
    return {
      /** Calls that acted and did what was asked; runs of tests are none. */
      done,
      /** Some call acted, or ran what ended with an error. */
      hasActed: done.length > 0 || calls.some(({ status, runs }) => status === 'completed' && runs),
      /** Calls that did not do what was asked, and that nothing made good. */
      missed,
    }
  })
/** Arguments of all calls and results of those that acted, in lower case. */
export const namedIn = ({ calls, once }: Material): string =>
  once('named', () =>
    calls.map((call) => (call.acts ? `${call.words}\n${call.text.toLowerCase()}` : call.words)).join('\n'),
  )
export type Missed = ReturnType<typeof deedsOf>['missed'][number]

/** By what a call that acts, or that answers with a state, has not done what was asked. */
function whyMissed({ tool, status, acts, value, exitCode, runs, writesFile, printed }: Call): string | undefined {
  const failed = `${tool} ${status === 'denied' ? 'was denied' : 'failed'}: ${excerpt(printed, 160)}`
  if (status !== 'completed') return acts ? failed : undefined
  if (runs && (exitCode ?? 0) !== 0) return `${tool} answered "exit code ${exitCode}"`
  if (writesFile || typeof value !== 'object' || value === null) return undefined
  const state = Object.entries(value).find(
    ([key, item]) => STATE.test(key) && (typeof item === 'number' ? item >= 400 : NOT_DONE.test(String(item))),
  )
  return state && `${tool} answered "${state[1]}"`
}

const didWhatWasAsked = (call: Call): boolean => call.succeeded && whyMissed(call) === undefined
const mayHaveChanged = (call: Call): boolean => didWhatWasAsked(call) && (!call.runs || mayChange(call))

/** Whether a later call of the same tool did it for the same; a program of unknown effect may have. */
const makesGood = (later: Call, call: Call): boolean =>
  didWhatWasAsked(later) &&
  ((later.tool === call.tool && targetsOf(later)[0] === targetsOf(call)[0]) || (call.runs && later.isOpaque))

/** The arguments that say what a call is about: the path of a file that it writes, else all that are short. */
export const targetsOf = ({ args, writesFile, path = '' }: Call): string[] =>
  Object.entries(writesFile ? { path } : (args ?? {}))
    .map(([key, value]) => (CONTENT.test(key) ? undefined : Array.isArray(value) ? value.join(' ') : value))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((text) => text.length <= LONGEST_NAME)

export const namesOf = (call: Call): string[] => targetsOf(call).flatMap(toTokens)

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

export function runsTests({ runs, tool, command, writesFile }: Call): boolean {
  if (writesFile || (!runs && !/(?:^|[_-])tests?(?:$|[_-])/i.test(tool))) return false
  return command === '' ? /test/i.test(tool) : !LOOKS.test(command) && RUNS_TESTS.test(command)
}
