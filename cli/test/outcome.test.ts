/** What a run's end looks like from outside: the exit code, and what standard error says of it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CommandContext } from '../src/frame/context.ts'
import { exitCodeOf, type Outcome, reportOutcome } from '../src/render/outcome.ts'

const test = suite('outcome')

const outcome = (facts: Partial<Outcome>): Outcome => ({ status: 'incomplete', warnings: [], ...facts })
const error = (code: string) => ({ code, message: `because of ${code}`, retryable: false })

/** Standard error of an end, without colours. */
function said(facts: Partial<Outcome>, quiet: boolean): string {
  const parts: string[] = []
  const same = (part: string): string => part
  const context = {
    io: { err: (part: string) => void parts.push(part), paint: { dim: same, yellow: same, red: same } },
    flags: { quiet },
    hasSaid: () => false,
  }
  reportOutcome(outcome(facts), context as unknown as CommandContext)
  return parts.join('')
}

for (const [facts, code] of [
  [{ incomplete: { reason: 'budget_exhausted' } }, 6],
  [{ incomplete: { reason: 'checks_failed' } }, 6],
  [{ incomplete: { reason: 'plan_failed' }, error: error('plugin_failed') }, 6],
  [{ incomplete: { reason: 'approval_denied' } }, 7],
  [{ incomplete: { reason: 'policy_denied' } }, 7],
  [{ incomplete: { reason: 'plan_failed' }, error: error('policy_denied') }, 7],
  [{ status: 'failed', error: error('path_outside_root') }, 7],
  [{ status: 'failed', error: error('approval_expired') }, 7],
  [{ status: 'failed', error: error('provider_auth') }, 5],
  [{ status: 'failed', error: error('model_not_found') }, 5],
  [{ status: 'failed', error: error('plugin_failed') }, 1],
  [{ status: 'failed', error: error('a_code_of_a_plugin') }, 1],
  [{ status: 'failed', error: error('toString') }, 1],
  [{ status: 'cancelled', error: error('cancelled') }, 130],
] as const) {
  test(`exit code ${code} for ${JSON.stringify(facts)}`, () => {
    assert.is(exitCodeOf(outcome(facts)), code)
  })
}

const FALSE_ANSWER: Partial<Outcome> = {
  incomplete: { reason: 'checks_failed' },
  claims: [
    { text: 'I read notes.md', verdict: 'supported' },
    { text: 'I created hello.txt', verdict: 'contradicted' },
    { text: 'All 12 tests pass', verdict: 'unsupported' },
  ],
  warnings: [
    { code: 'claim_contradicted', message: '"I created hello.txt": no tool call wrote it' },
    { code: 'memory_unavailable', message: 'the run went on without its memory' },
  ],
}

test('an answer that failed its checks is said to be so with -q too, with each false claim once', () => {
  const quiet = said(FALSE_ANSWER, true)
  assert.is(quiet.split('I created hello.txt').length, 2, quiet)
  assert.match(quiet, /no tool call wrote it \[claim_contradicted\]/)
  assert.match(quiet, /^svc: unsupported: All 12 tests pass$/m)
  assert.match(quiet, /^svc: incomplete: the answer is printed, but it failed checks of svc \[checks_failed\]$/m)
  assert.not.match(quiet, /notes\.md|memory/)
  assert.match(said(FALSE_ANSWER, false), /went on without its memory/)
})

test('a denied call is said with its reason, and control characters of a claim steer no terminal', () => {
  assert.match(said({ incomplete: { reason: 'approval_denied' } }, true), /was not approved.*\[approval_denied\]/)
  assert.match(said({ incomplete: { reason: 'policy_denied' } }, true), /a rule denied.*\[policy_denied\]/)
  const evil = said({ claims: [{ text: 'done\u001b[2J', verdict: 'unsupported' }] }, true)
  assert.not.ok(evil.includes('\u001b'))
})

test('a completed run with notes says nothing with -q', () => {
  assert.is(said({ ...FALSE_ANSWER, status: 'completed' }, true), '')
})

test.run()
