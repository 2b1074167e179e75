import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TokenBudgetAllocator } from '../src/components/token-budget-allocator/index.ts'
import type { Allocation } from '../src/contracts/stages/allocation.ts'
import { type RiskLevel, TOPOLOGIES } from '../src/contracts/words.ts'
import { SvcError } from '../src/errors.ts'
import { Ledger, type Reservation } from '../src/runtime/budget/ledger.ts'
import { SharePool } from '../src/runtime/budget/share-pool.ts'

const test = suite('ledger')
const RUNS = process.env.SVC_NIGHTLY ? 200_000 : 1000
const RISKS: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical']

const team = (changes: Partial<Allocation['reserves']> = {}): Allocation => ({
  total: 10_000,
  topology: 'CENTRALIZED',
  shares: [
    { agentId: 'agent-1', role: 'lead', tokens: 2000 },
    { agentId: 'agent-2', role: 'worker', tokens: 1500 },
    { agentId: 'agent-3', role: 'worker', tokens: 1500 },
  ],
  reserves: {
    coordination: 1000,
    synthesis: 1000,
    reflection: 700,
    consensus: 0,
    final: 1000,
    contingency: 1300,
    ...changes,
  },
  underfunded: false,
  explanation: [],
})

const used = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens, estimated: false })

test('a first call that does not fit says with which budget it does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4000 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 4000, max: 90_000 }),
      async (softTokens, factor, input) => {
        const reserve = async (soft: number) => {
          const ledger = new Ledger({ softTokens: soft, hardTokens: soft * factor })
          return ledger.reserve('agent-1', input, 4096, undefined, new AbortController().signal)
        }
        const refused = await reserve(softTokens).catch((thrown: Error) => thrown.message)
        if (typeof refused !== 'string') return
        assert.match(refused, /^nothing was spent, since the first call of agent-1 needs \d+ tokens/)
        const least = Number(/to at least (\d+)$/.exec(refused)?.[1])
        await reserve(least)
        assert.type(await reserve(least - 1).catch((thrown: Error) => thrown.message), 'string')
      },
    ),
    { numRuns: 200 },
  )
})

test('lends own returned tokens first, then those of finished agents, then contingency, then reflection', () => {
  const pool = new SharePool(team())
  pool.spend('agent-2', 500)
  assert.is(pool.finish('agent-2'), 1000)
  pool.spend('agent-3', 1000)
  assert.is(pool.finish('agent-3'), 500)
  assert.is(pool.available('agent-2'), 1500 + 1300 + 700)
  pool.spend('agent-2', 900) // its own
  assert.is(pool.snapshot().returned, 600)
  pool.spend('agent-2', 400) // 100 of its own, 300 of agent-3
  assert.is(pool.snapshot().returned, 200)
  assert.is(pool.snapshot().reserves.contingency, 1300)
  pool.spend('agent-2', 1000) // 200 returned, 800 of contingency
  assert.is(pool.snapshot().reserves.contingency, 500)
  assert.is(pool.spend('agent-2', 1200).short, 0) // 500 of contingency, all of reflection
  const { reserves } = pool.snapshot()
  assert.equal([reserves.contingency, reserves.reflection], [0, 0])
  assert.equal([reserves.synthesis, reserves.final, reserves.coordination], [1000, 1000, 1000])
  assert.is(pool.spend('agent-2', 10).short, 10)
  assert.is(pool.snapshot().short, 10)
})

test('lends the reserve for reflection only where little is at stake', () => {
  for (const risk of RISKS) {
    const pool = new SharePool(team(), risk)
    const { short } = pool.spend('agent-2', 1500 + 1300 + 700)
    assert.is(short, risk === 'low' ? 0 : 700)
  }
})

const anyAllocation = fc
  .record({
    topology: fc.constantFrom(...TOPOLOGIES),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    count: fc.integer({ min: 1, max: 6 }),
    total: fc.integer({ min: 1024, max: 200_000 }),
    risk: fc.constantFrom(...RISKS),
  })
  .map(({ topology, score, count, total, risk }) => ({
    risk,
    allocation: new TokenBudgetAllocator().allocate(topology, score, count, { total, risk }),
  }))
const anyAgent = fc.integer({ min: 1, max: 7 }).map((n) => `agent-${n}`)

test('neither makes nor loses a token, and never lends what is kept for the last answers', () => {
  const step = fc.record({ agentId: anyAgent, tokens: fc.nat(20_000), finish: fc.boolean() })
  fc.assert(
    fc.property(anyAllocation, fc.array(step, { maxLength: 30 }), ({ allocation, risk }, steps) => {
      const pool = new SharePool(allocation, risk)
      let spent = 0
      for (const { agentId, tokens, finish } of steps) {
        const free = pool.available(agentId)
        const { short } = pool.spend(agentId, tokens)
        assert.is(short, Math.max(0, tokens - free))
        spent += tokens - short
        if (finish) pool.finish(agentId)
        const { agents, returned, reserves } = pool.snapshot()
        const kept = Object.values(reserves).reduce((sum, value) => sum + value, 0)
        const left = agents.reduce((sum, agent) => sum + agent.left, 0)
        assert.is(left + returned + kept + spent, allocation.total)
        assert.ok(Object.values(reserves).every((value) => value >= 0))
        assert.is(reserves.synthesis, allocation.reserves.synthesis)
        assert.is(reserves.final, allocation.reserves.final)
      }
    }),
    { numRuns: RUNS },
  )
})

test('never passes the hard budget, however calls of many agents reserve, settle and borrow at once', async () => {
  const move = fc.record({
    kind: fc.constantFrom('reserve', 'reserve', 'settle', 'finish'),
    agentId: anyAgent,
    input: fc.nat(4000),
    output: fc.integer({ min: 1, max: 4000 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(anyAllocation, fc.array(move, { maxLength: 25 }), async ({ allocation, risk }, moves) => {
      const hardTokens = Math.ceil(allocation.total * 1.2)
      const ledger = new Ledger({ softTokens: allocation.total, hardTokens })
      ledger.allocate(allocation, risk)
      const flying: Reservation[] = []
      let waiting = 0
      const check = (): void => {
        const { used: spent, reserved } = ledger.snapshot()
        assert.ok(spent + reserved <= hardTokens, `${spent} + ${reserved} > ${hardTokens}`)
        assert.ok(reserved >= 0 && ledger.remaining() >= 0)
      }
      const settle = (part: number): void => {
        const reservation = flying.shift()
        if (reservation === undefined) return
        const { inputTokens, outputTokens } = reservation
        const usage = used(Math.floor(inputTokens * part), Math.floor(outputTokens * part))
        ledger.settle(reservation, usage, usage, 0)
        check()
      }
      for (const { kind, agentId, input, output, part } of moves) {
        if (kind === 'settle') settle(part)
        else if (kind === 'finish') ledger.finish(agentId)
        else {
          waiting++
          Promise.resolve()
            .then(() => ledger.reserve(agentId, input, output, undefined, new AbortController().signal))
            .then(
              (reservation) => {
                waiting--
                flying.push(reservation)
                check()
              },
              (thrown) => {
                waiting--
                assert.ok(SvcError.isInstance(thrown) && thrown.code === 'budget_exhausted')
              },
            )
        }
        await undefined
      }
      for (let rounds = 0; (flying.length > 0 || waiting > 0) && rounds < 200; rounds++) {
        settle(1)
        await undefined
      }
      assert.is(flying.length + waiting, 0)
      assert.is(ledger.snapshot().reserved, 0)
      check()
    }),
    { numRuns: RUNS },
  )
})

test('counts what was spent before the budget was split against the split', () => {
  const ledger = new Ledger({ softTokens: 10_000, hardTokens: 20_000 })
  assert.is(ledger.available('agent-1'), Number.POSITIVE_INFINITY)
  ledger.charge('analyzer', used(300, 100), null)
  ledger.allocate(team())
  assert.is(ledger.snapshot().pool?.reserves.coordination, 600)
})

test('charges a recorded answer as it was charged when it came', () => {
  const price = { input: 2, output: 10 }
  const ledger = new Ledger({ softTokens: 10_000, hardTokens: 20_000, maxCostUsd: 1 })
  ledger.charge('agent-1', used(1, 1), 0.000_012, used(800, 200), price)
  assert.equal([ledger.used, ledger.costUsd, ledger.snapshot().calls], [1_000, 0.000_012, 1])
})

test('warns of the share of an agent beside the budget of the run', () => {
  const ledger = new Ledger({ softTokens: 10_000, hardTokens: 20_000 })
  ledger.allocate(team())
  const { passed } = ledger.charge('agent-2', used(1000, 400), 0)
  assert.equal(passed, [
    { scope: 'agent-2', ratio: 0.7 },
    { scope: 'agent-2', ratio: 0.9 },
  ])
  assert.equal(ledger.charge('agent-1', used(5000, 1000), 0).passed, [
    { scope: 'agent-1', ratio: 0.7 },
    { scope: 'agent-1', ratio: 0.9 },
    { scope: 'agent-1', ratio: 1 },
    { scope: 'soft', ratio: 0.7 },
  ])
})

test.run()
