import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CheckInput, ConsensusChecker, type VoterOutcome } from '../src/components/consensus-checker/index.ts'
import type { Vote } from '../src/contracts/stages/consensus.ts'
import { ProviderError } from '../src/errors.ts'

const test = suite('consensus weights')
const usage = { inputTokens: 10, outputTokens: 5, estimated: false }
const vote = (answer: unknown, family: string, voter = family): Vote => ({ voter, family, answer, usage })
const record: VoterOutcome[] = [
  { family: 'expert', right: 95, total: 100 },
  { family: 'novice', right: 55, total: 100 },
  { family: 'guesser', right: 30, total: 100 },
]

test('a vote of a family that is often right outweighs two of a family that seldom is', () => {
  const votes = [vote(1, 'expert'), vote(2, 'guesser'), vote(2, 'guesser', 'other')]
  assert.is(new ConsensusChecker().tally(votes, 'medium', 'number').clusters[0]?.canonical, '2')
  const weighed = new ConsensusChecker({ voters: record }).tally(votes, 'medium', 'number')
  assert.is(weighed.clusters[0]?.canonical, '1')
  assert.ok((weighed.clusters[0]?.weight ?? 0) > (weighed.clusters[1]?.weight ?? 0))
})

test('all votes weigh the same until a family has thirty outcomes', () => {
  const votes = [vote(1, 'expert'), vote(2, 'guesser'), vote(2, 'guesser', 'other')]
  const few = record.map((one) => ({ ...one, right: one.right / 4, total: 25 }))
  assert.equal(
    new ConsensusChecker({ voters: few }).tally(votes, 'medium', 'number'),
    new ConsensusChecker().tally(votes, 'medium', 'number'),
  )
})

test('a record in the domain of the task counts before the record in others', () => {
  const voters = [
    ...record,
    { family: 'expert', domain: 'cooking', right: 2, total: 60 },
    { family: 'guesser', domain: 'cooking', right: 58, total: 60 },
  ]
  const votes = [vote(1, 'expert'), vote(2, 'guesser')]
  const checker = new ConsensusChecker({ voters })
  assert.is(checker.tally(votes, 'medium', 'number', 'sailing').clusters[0]?.canonical, '1')
  assert.is(checker.tally(votes, 'medium', 'number', 'cooking').clusters[0]?.canonical, '2')
})

function ask(answers: Record<string, unknown>, more: Partial<CheckInput> = {}) {
  const asked: string[] = []
  const input: CheckInput = {
    task: { id: 'task-1', description: 'How many?' },
    kind: 'number',
    risk: 'medium',
    voters: Object.keys(answers).map((voter) => ({ voter, family: voter.split('-')[0] ?? '' })),
    sample: async (_, voter) => {
      asked.push(voter?.voter ?? '')
      const answer = answers[voter?.voter ?? '']
      if (answer instanceof Error) throw answer
      return vote(answer, voter?.family ?? '', voter?.voter)
    },
    ...more,
  }
  return { asked, result: (checker = new ConsensusChecker({ voters: record })) => checker.check(input) }
}

test('each voter is asked once at most', async () => {
  const { asked, result } = ask({ 'novice-1': 1, 'expert-1': 2 })
  const consensus = await result()
  assert.equal(asked, ['novice-1', 'expert-1'])
  assert.is(consensus.decision, 'abstain')
})

test('after three failed votes in a row asking ends', async () => {
  const broken = new ProviderError('provider_unavailable', 'down', { retryable: false, provider: 'x' })
  const { asked, result } = ask(
    Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`expert-${index}`, broken])),
    { first: vote(1, 'novice') },
  )
  const consensus = await result()
  assert.is(consensus.decision, 'abstain')
  assert.is(asked.length, 3)
})

test('texts that mean the same by what the caller says are one answer, and what cannot be asked is another', async () => {
  const questions: string[] = []
  const texts = { 'expert-1': 'The crane is broken', 'expert-2': 'It needs repair', 'expert-3': 'It needs repair' }
  const joined = await ask(texts, {
    kind: 'text',
    isSame: async (a, b) => {
      questions.push(`${a}|${b}`)
      return true
    },
  }).result()
  assert.is(joined.clusters.length, 1)
  assert.is(joined.decision, 'accept')
  assert.is(questions.length, 1)
  const apart = await ask(texts, { kind: 'text', isSame: async () => Promise.reject(new Error('down')) }).result()
  assert.is(apart.clusters.length, 2)
})

test.run()
