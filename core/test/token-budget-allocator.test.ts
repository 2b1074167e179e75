import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AgentShareInput } from '../src/components.ts'
import { fits, type RiskLevel, SvcError, TOPOLOGIES, TokenBudgetAllocator, type Topology } from '../src/index.ts'
import { Allocation } from '../src/schema.ts'

const test = suite('TokenBudgetAllocator')
const allocator = new TokenBudgetAllocator()
const RISKS: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical']
const RUNS = process.env.SVC_NIGHTLY === '1' ? 50_000 : 500

const anyTopology = fc.constantFrom(...TOPOLOGIES)
const anyRisk = fc.constantFrom(...RISKS)
const anyScore = fc.double({ min: 0, max: 1, noNaN: true })
const anyTotal = fc.oneof(fc.integer({ min: 1024, max: 12_000 }), fc.integer({ min: 1024, max: 5_000_000 }))
const anyAgent = fc.record(
  {
    role: fc.constantFrom('lead', 'worker', 'critic', 'verifier', 'synthesizer', 'poet'),
    complexity: fc.double({ min: 0, max: 1, noNaN: true }),
    level: fc.nat(6),
    weight: fc.double({ min: 0, max: 100, noNaN: true }),
  },
  { requiredKeys: [] },
)
const anyTeam = fc.integer({ min: 1, max: 12 }).chain((n) => fc.array(anyAgent, { minLength: n, maxLength: n }))

const sum = (allocation: Allocation): number =>
  allocation.shares.reduce((total, { tokens }) => total + tokens, 0) +
  Object.values(allocation.reserves).reduce((total, tokens) => total + tokens, 0)

const tokensOf = (allocation: Allocation): number[] => allocation.shares.map(({ tokens }) => tokens)

/** The promises about single shares hold between teams of the same topology and size. */
const isComparable = (a: Allocation, b: Allocation): boolean =>
  a.topology === b.topology && a.shares.length === b.shares.length

function check<T>(property: fc.IProperty<T>): void {
  fc.assert(property, { numRuns: RUNS })
}

test('splits the default budget of one agent as the table says', () => {
  const { total, topology, shares, reserves, underfunded } = allocator.allocate('SINGLE', 0, 1)
  assert.is(total, 64_000)
  assert.is(topology, 'SINGLE')
  // 64000 * .93 * .55
  assert.equal(shares, [{ agentId: 'agent-1', role: 'worker', tokens: 32_736 }])
  assert.equal(reserves, {
    coordination: 0,
    synthesis: 0,
    reflection: 4480,
    consensus: 0,
    final: 2560,
    contingency: 64_000 - 32_736 - 4480 - 2560,
  })
  assert.not(underfunded)
})

test('gives the lead of a centralized team slot 1 and more than a worker', () => {
  const { shares, reserves } = allocator.allocate('CENTRALIZED', 0.5, 4)
  assert.equal(
    shares.map(({ agentId, role }) => [agentId, role]),
    [
      ['agent-1', 'lead'],
      ['agent-2', 'worker'],
      ['agent-3', 'worker'],
      ['agent-4', 'worker'],
    ],
  )
  const [lead = 0, worker = 0] = shares.map(({ tokens }) => tokens)
  assert.ok(lead > worker)
  assert.is(reserves.coordination, 9600)
  assert.is(reserves.synthesis, 7680)
  assert.is(reserves.final, 4 * 2560)
})

test('puts a critic into the ring of a hybrid team', () => {
  const roles = allocator.allocate('HYBRID', 0.5, 3).shares.map(({ role }) => role)
  assert.equal(roles, ['lead', 'worker', 'critic'])
})

test('front-loads the early phases of a chain', () => {
  const [first = 0, second = 0, third = 0] = tokensOf(allocator.allocate('SEQUENTIAL', 0.5, 3))
  assert.ok(first > second && second > third)
})

test('makes an underfunded team smaller and says so', () => {
  const { topology, shares, underfunded, explanation } = allocator.allocate('CENTRALIZED', 0, 4, { total: 8000 })
  // 8000 * .66 * .55 = 2904 tokens pay for two agents
  assert.is(topology, 'CENTRALIZED')
  assert.is(shares.length, 2)
  assert.ok(underfunded)
  assert.match(explanation.join(' '), /8000 tokens leave \d+ for 4 agents, less than 1024 for each, so the team has 2/)
})

test('lets one agent work alone where two cannot be paid', () => {
  const { topology, shares, reserves, underfunded, explanation } = allocator.allocate('PARALLEL', 0, 3, { total: 3000 })
  assert.is(topology, 'SINGLE')
  assert.is(shares.length, 1)
  assert.ok(underfunded)
  assert.is(reserves.coordination + reserves.synthesis, 0)
  assert.match(explanation.join(' '), /one agent works alone/)
})

test('treats a team of one as SINGLE and SINGLE as one agent', () => {
  assert.is(allocator.allocate('HYBRID', 0.5, 1).topology, 'SINGLE')
  assert.is(allocator.allocate('SINGLE', 0.5, 5).shares.length, 1)
})

test('refuses a budget that no agent can work with', () => {
  for (const total of [1, 1023]) {
    try {
      allocator.allocate('SINGLE', 0, 1, { total })
      assert.unreachable()
    } catch (error) {
      assert.ok(SvcError.isInstance(error))
      assert.is(error.code, 'budget_too_small')
      assert.match(error.message, /at least 1024/)
    }
  }
  assert.is(allocator.allocate('SINGLE', 0, 1, { total: 1024 }).shares.length, 1)
})

test('names the argument that is wrong', () => {
  const wrong: [RegExp, () => unknown][] = [
    [/total .* not 0/, () => allocator.allocate('SINGLE', 0, 1, { total: 0 })],
    [/total .* not -5/, () => allocator.allocate('SINGLE', 0, 1, { total: -5 })],
    [/total .* not 2000.5/, () => allocator.allocate('SINGLE', 0, 1, { total: 2000.5 })],
    [/total .* not NaN/, () => allocator.allocate('SINGLE', 0, 1, { total: Number.NaN })],
    [/score .* not 1.5/, () => allocator.allocate('SINGLE', 1.5, 1)],
    [/score .* not NaN/, () => allocator.allocate('SINGLE', Number.NaN, 1)],
    [/number of agents .* not 0/, () => allocator.allocate('PARALLEL', 0, 0)],
    [/number of agents .* not 2.5/, () => allocator.allocate('PARALLEL', 0, 2.5)],
    [/topology .* "STAR"/, () => allocator.allocate('STAR' as Topology, 0, 1)],
    [/risk .* "toString"/, () => allocator.allocate('SINGLE', 0, 1, { risk: 'toString' as RiskLevel })],
    [/agents\[1\]\.weight .* not -1/, () => allocator.allocate('PARALLEL', 0, 2, { agents: [{}, { weight: -1 }] })],
    [/agents\[0\]\.complexity .* not 2/, () => allocator.allocate('PARALLEL', 0, 2, { agents: [{ complexity: 2 }] })],
    [/baseBudget .* not 0/, () => new TokenBudgetAllocator({ baseBudget: 0 })],
  ]
  for (const [pattern, call] of wrong) {
    try {
      call()
      assert.unreachable(String(pattern))
    } catch (error) {
      assert.ok(SvcError.isInstance(error), String(error))
      assert.is(error.code, 'validation_failed')
      assert.match(error.message, pattern)
    }
  }
})

test('adds up to the total, is never negative, fits the contract, and keeps the minimum unless underfunded', () => {
  check(
    fc.property(anyTopology, anyScore, anyTeam, anyTotal, anyRisk, (topology, score, agents, total, risk) => {
      const allocation = allocator.allocate(topology, score, agents.length, { total, risk, agents })
      assert.is(sum(allocation), total)
      for (const tokens of [...tokensOf(allocation), ...Object.values(allocation.reserves)]) {
        assert.ok(Number.isInteger(tokens) && tokens >= 0, `${tokens}`)
      }
      if (!allocation.underfunded) for (const tokens of tokensOf(allocation)) assert.ok(tokens >= 1024)
      assert.equal(
        allocation.shares.map(({ agentId }) => agentId),
        allocation.shares.map((_, slot) => `agent-${slot + 1}`),
      )
      assert.ok(fits(Allocation, allocation))
    }),
  )
})

const split = (
  topology: Topology,
  score: number,
  agents: readonly AgentShareInput[],
  total: number,
  risk: RiskLevel = 'low',
): Allocation => allocator.allocate(topology, score, agents.length, { total, risk, agents })
const isNoLess = (after: Allocation, before: Allocation): boolean =>
  !isComparable(before, after) || tokensOf(before).every((tokens, slot) => (tokensOf(after)[slot] ?? 0) >= tokens)
const anyWeights = fc
  .array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 2, maxLength: 10 })
  .map((weights) => weights.map((weight) => ({ weight })))

test('gives no agent less when the total, the score or its own weight grows, nor when the risk falls', () => {
  const anyMore = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 100_000 }))
  check(
    fc.property(anyTopology, anyScore, anyScore, anyTeam, anyTotal, anyMore, (topology, a, b, team, total, more) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)]
      const before = split(topology, low, team, total)
      const richer = split(topology, low, team, total + more)
      assert.ok(isNoLess(richer, before) && isNoLess(split(topology, high, team, total), before))
      assert.ok(richer.shares.length >= before.shares.length || before.topology !== richer.topology)
      for (const [index, risk] of RISKS.slice(1).entries())
        assert.ok(isNoLess(split(topology, low, team, total, RISKS[index]), split(topology, low, team, total, risk)))
    }),
  )
  check(
    fc.property(anyTopology, anyScore, anyWeights, anyScore, anyTotal, (topology, score, team, more, total) => {
      const heavier = team.map(({ weight }, index) => ({ weight: index === 0 ? weight + 50 * more : weight }))
      const [before, after] = [team, heavier].map((agents) => tokensOf(split(topology, score, agents, total))[0])
      assert.ok((after ?? 0) >= (before ?? 0))
    }),
  )
})

test('follows the order of the weights, and does not care in which order the agents come', () => {
  check(
    fc.property(anyTopology, anyScore, anyWeights, anyTotal, anyRisk, (topology, score, team, total, risk) => {
      const plain = split(topology, score, team, total, risk)
      const mixed = split(topology, score, [...team].reverse(), total, risk)
      assert.is(mixed.reserves.final, plain.reserves.final)
      if (plain.shares.length < team.length || plain.topology === 'SINGLE') return
      const tokens = tokensOf(plain)
      assert.equal(tokensOf(mixed).reverse(), tokens)
      const order = team.map((_, slot) => slot).sort((a, b) => (team[a]?.weight ?? 0) - (team[b]?.weight ?? 0))
      for (const [index, slot] of order.slice(1).entries())
        assert.ok((tokens[slot] ?? 0) >= (tokens[order[index] ?? 0] ?? 0))
    }),
  )
})

test('keeps the last answer of every slot affordable, with at most a quarter of what the other reserves leave', () => {
  check(
    fc.property(
      anyTopology,
      anyScore,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 64_000, max: 1_000_000 }),
      anyRisk,
      (topology, score, count, total, risk) => {
        const { shares, reserves, underfunded } = allocator.allocate(topology, score, count, { total, risk })
        const { coordination, synthesis, reflection, consensus } = reserves
        assert.ok(reserves.final <= shares.length * 2560)
        assert.ok(reserves.final <= (total - coordination - synthesis - reflection - consensus) / 4)
        if (!underfunded && total >= 512_000) assert.is(reserves.final, shares.length * 2560)
      },
    ),
  )
})

test.run()
