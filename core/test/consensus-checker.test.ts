import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  beliefInLeader,
  type CheckInput,
  ConsensusChecker,
  canonicalise,
} from '../src/components/consensus-checker/index.ts'
import { type AnswerKind, Consensus, type Vote } from '../src/contracts/stages/consensus.ts'
import type { RiskLevel } from '../src/contracts/words.ts'
import { CancelledError, LimitError, SvcError } from '../src/errors.ts'
import { fits } from '../src/validate.ts'

const test = suite('consensus checker')
const usage = { inputTokens: 10, outputTokens: 5, estimated: false }

const vote = (answer: unknown, index = 0, family = 'alpha'): Vote => ({
  voter: `voter-${index}`,
  family,
  answer,
  usage,
})
const votes = (...answers: unknown[]): Vote[] => answers.map((answer, index) => vote(answer, index))
const near = (value: number, wanted: number) => assert.ok(Math.abs(value - wanted) < 0.001, `${value} is not ${wanted}`)

function ask(answers: unknown[], risk: RiskLevel, more: Partial<CheckInput> = {}) {
  const asked: number[] = []
  const input: CheckInput = {
    task: { id: 'task-1', description: 'How many?' },
    kind: 'number',
    risk,
    sample: async (index) => {
      asked.push(index)
      const answer = answers[index]
      if (answer instanceof Error) throw answer
      return vote(answer, index)
    },
    ...more,
  }
  return { asked, result: (checker = new ConsensusChecker()) => checker.check(input) }
}

test('the belief in the leader has the published closed form', () => {
  const unanimous = [2, 3, 4, 5, 6].map((count) => beliefInLeader(count, 0))
  for (const [index, wanted] of [0.875, 0.9375, 0.969, 0.984, 0.992].entries()) near(unanimous[index] ?? 0, wanted)
  near(beliefInLeader(4, 1), 0.891)
  near(beliefInLeader(6, 1), 0.965)
  near(beliefInLeader(8, 1), 0.989)
  near(beliefInLeader(2, 2), 0.5)
})

test('at low risk nothing is asked', async () => {
  const { asked, result } = ask([], 'low', { first: vote(7) })
  const consensus = await result()
  assert.ok(fits(Consensus, consensus))
  assert.equal(asked, [])
  assert.is(consensus.decision, 'accept')
  assert.is(consensus.answer, 7)
})

test('high risk asks three at once and stops when they agree', async () => {
  const { asked, result } = ask([7, '7.0', 'The answer is 7'], 'high')
  const consensus = await result()
  assert.equal(asked, [0, 1, 2])
  assert.is(consensus.decision, 'accept')
  assert.is(consensus.stopReason, 'confident')
  assert.is(consensus.clusters.length, 1)
  assert.is(consensus.usage.inputTokens, 30)
  near(consensus.effectiveVotes, 3 / (1 + 2 * 0.55))
})

test('a dissenting voter is outvoted, and named as the minority', async () => {
  const { asked, result } = ask([7, 8, 7, 7, 7, 7], 'high')
  const consensus = await result()
  assert.is(consensus.decision, 'accept')
  assert.equal(
    consensus.minority.map(({ answer }) => answer),
    [8],
  )
  assert.is(asked.length, 6)
})

test('asking stops as soon as the leader could not pass any more', async () => {
  const { asked, result } = ask([1, 2, 3, 4, 5, 6, 7], 'high')
  const consensus = await result()
  assert.is(consensus.stopReason, 'unreachable')
  assert.ok(asked.length < 7)
  assert.is(consensus.decision, 'abstain')
  assert.is(consensus.answer, undefined)
})

test('at medium risk asking ends at a lead of two, and the belief says whether the answer is accepted', async () => {
  const agreed = ask([7, 7], 'medium')
  assert.is((await agreed.result()).decision, 'accept')
  assert.is(agreed.asked.length, 2)
  const split = ask([7, 8, 7, 7], 'medium')
  const consensus = await split.result()
  assert.is(split.asked.length, 4)
  assert.equal([consensus.decision, consensus.stopReason], ['abstain', 'unreachable'])
})

test('a 2-2 vote abstains at every risk', () => {
  for (const risk of ['low', 'medium', 'high', 'critical'] as const) {
    const consensus = new ConsensusChecker().tally(votes('a', 'b', 'a', 'b'), risk)
    assert.is(consensus.decision, 'abstain')
    assert.is(consensus.posterior, 0.5)
  }
})

test('what is not accepted goes to a person at high risk and abstains at medium', () => {
  const checker = new ConsensusChecker()
  const split = votes(1, 1, 1, 2, 2)
  assert.is(checker.tally(split, 'medium', 'number').decision, 'abstain')
  assert.is(checker.tally(split, 'high', 'number').decision, 'escalate')
})

test('an irreversible step at critical risk goes to a person even when all agree', async () => {
  const answers = Array.from({ length: 15 }, () => 7)
  assert.is((await ask(answers, 'critical').result()).decision, 'accept')
  assert.is((await ask(answers, 'critical', { irreversible: true }).result()).decision, 'escalate')
  assert.is((await ask(answers, 'medium', { checked: false }).result()).decision, 'abstain')
})

test('the votes of a deterministic provider count as one', async () => {
  const { asked, result } = ask([], 'high', { first: vote(7), deterministic: true })
  const consensus = await result()
  assert.equal(asked, [])
  assert.is(consensus.effectiveVotes, 1)
  assert.is(consensus.posterior, 0.75)
  assert.is(consensus.stopReason, 'max')
  assert.is.not(consensus.decision, 'accept')
})

test('empty answers abstain and count for no answer', async () => {
  const { asked, result } = ask(['', null, 7, 7, 7, 7], 'high')
  const consensus = await result()
  assert.is(consensus.decision, 'accept')
  assert.is(consensus.clusters[0]?.weight, 3)
  assert.is(asked.length, 5)
})

test('a failed vote is skipped, and without any vote the checker abstains', async () => {
  const broken = new Error('no route')
  assert.is((await ask([7, broken, 7, 7], 'high').result()).decision, 'accept')
  const none = await ask(
    Array.from({ length: 7 }, () => broken),
    'high',
  ).result()
  assert.is(none.decision, 'abstain')
  assert.is(none.confidence, 0)
})

test('voting stops when the budget ends, before or during a vote', async () => {
  const { asked, result } = ask([7, new LimitError('budget_exhausted', 'spent'), 8, 7, 7], 'high')
  const consensus = await result()
  assert.is(consensus.stopReason, 'budget')
  assert.equal(asked, [0, 1, 2])
  const empty = { remaining: () => 0, spent: () => usage, exhausted: true, available: () => 0 }
  const input: CheckInput = {
    task: { id: 'task-1', description: 'x' },
    kind: 'number',
    risk: 'high',
    first: vote(7),
    sample: async () => Promise.reject(new Error('no vote may be asked for')),
  }
  assert.is((await new ConsensusChecker().check(input, { budget: empty })).stopReason, 'budget')
})

test('a cancelled run cancels the vote', async () => {
  const cancelled = ask([7, new CancelledError('cancelled', 'stop'), 7], 'high')
  const code = await cancelled.result().then(
    () => 'none',
    (error: unknown) => (SvcError.isInstance(error) ? error.code : 'other'),
  )
  assert.is(code, 'cancelled')
})

test('answers of a kind are compared in one form', () => {
  const same: [AnswerKind, unknown, unknown][] = [
    ['number', '1,234.50 USD', 1234.5],
    ['number', 'x = 3/4', 0.75],
    ['number', '2 thousand', 'so the answer is 2000.'],
    ['number', '0.3333333', 1 / 3],
    ['number', '2h + 4', 'none'],
    ['number', 'The total is = 60x', '15(x - 4)'],
    ['number', 'It cannot be determined.', '17x/4'],
    ['number', 'a + b = 60 km/h', 60],
    ['number', '5 m', 'It took 5 e-mails'],
    ['choice', '(B) because', 'The answer is b'],
    ['boolean', 'Yes, it does', true],
    ['boolean', 'The answer is no.', false],
    ['date', '8 May 2023', '2023-05-08T10:00'],
    ['date', 'May 8th, 2023', '2023-5-8'],
    ['json', '```json\n{"b":1,"a":[{"d":1,"c":2}]}\n```', { a: [{ c: 2, d: 1 }], b: 1 }],
    ['set', 'red, Green and blue', ['blue', 'green', 'red']],
    ['code', '```ts\nconst a = 1\n```', 'const a=1'],
    ['text', ' The  harbour ', 'the harbour'],
  ]
  for (const [kind, a, b] of same)
    assert.is(canonicalise(a, kind), canonicalise(b, kind), `${kind} ${JSON.stringify(a)}`)
  const different: [AnswerKind, unknown, unknown][] = [
    ['number', '12', '13'],
    ['number', 12345678, 12345679],
    ['number', '-5', '5'],
    ['json', { a: 1 }, [['a', 1]]],
    ['boolean', 'no', 'yes'],
    ['date', '2023-05-08', '2023-08-05'],
  ]
  for (const [kind, a, b] of different) assert.is.not(canonicalise(a, kind), canonicalise(b, kind), kind)
  assert.is(canonicalise('  ', 'text'), undefined)
})

test('free texts agree by words, unless a number or a negation differs', () => {
  const checker = new ConsensusChecker()
  const groups = (...answers: string[]) => checker.tally(votes(...answers), 'high').clusters.length
  assert.is(groups('The server listens on port 4000 by default.', 'By default the server listens on port 4000'), 1)
  assert.is(groups('The server listens on port 4000', 'The server listens on port 4001'), 2)
  assert.is(groups('The tests pass on main', 'The tests do not pass on main'), 2)
  assert.is(groups('It is written in Rust', 'The moon is made of cheese'), 2)
})

test('the order of votes does not matter', () => {
  const answers = fc.array(
    fc.constantFrom('the crane broke', 'the crane broke down', 'crane broke today down', '7', '8', '', 'lunch at noon'),
    { maxLength: 12 },
  )
  const property = fc.property(
    answers.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(
          list.map((_, index) => index),
          { minLength: list.length },
        ),
      ),
    ),
    fc.constantFrom('low' as const, 'medium' as const, 'high' as const, 'critical' as const),
    ([list, order], risk) => {
      const cast = list.map((answer, index) => vote(answer, index, index % 2 ? 'alpha' : 'beta'))
      const shuffled = order.flatMap((index) => cast[index] ?? [])
      const checker = new ConsensusChecker()
      const { votes: _, minority, ...one } = checker.tally(cast, risk)
      const { votes: __, minority: otherMinority, ...other } = checker.tally(shuffled, risk)
      assert.equal(one, other)
      const names = (some: Vote[]) => some.map(({ voter }) => voter).sort()
      assert.equal(names(minority), names(otherMinority))
    },
  )
  fc.assert(property, { numRuns: 300, seed: 20_251 })
})

test('confidence follows the share, is never high for few votes, and learns', () => {
  const checker = new ConsensusChecker()
  const confidence = (...answers: unknown[]) => checker.tally(votes(...answers), 'high', 'number').confidence
  assert.ok(confidence(1, 1, 1, 1, 1) > confidence(1, 1, 1))
  assert.ok(confidence(1, 1, 1) > confidence(1, 1))
  assert.ok(confidence(1, 1) > confidence(1))
  assert.ok(confidence(1, 1, 1, 1, 2) > confidence(1, 1, 1, 2, 2))
  assert.ok(confidence(1, 2) <= 0.5)
  const taught = new ConsensusChecker({ calibration: [{ share: 1, right: 0, total: 60 }] })
  assert.ok(taught.tally(votes(1, 1, 1), 'high', 'number').confidence < 0.3)
})

// What takes the square of its length would not end: so it is for each of the texts below.
test('hostile answers of a megabyte are read', () => {
  for (const text of [
    '='.repeat(1_000_000),
    `${'1'.repeat(500_000)}${','.repeat(500_000)}`,
    'answer '.repeat(150_000),
    '1 '.repeat(500_000),
    ' '.repeat(1_000_000),
  ]) {
    for (const kind of ['text', 'number', 'choice', 'boolean', 'date', 'json', 'code', 'set'] as const) {
      assert.is(canonicalise(text, kind), canonicalise(text, kind))
    }
  }
})

test('a quorum outside (0, 1] is refused', () => {
  for (const quorum of [0, -1, 1.1, Number.NaN]) assert.throws(() => new ConsensusChecker({ quorum }), /quorum/)
})

test.run()
