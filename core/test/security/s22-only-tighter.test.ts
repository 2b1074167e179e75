/** S22: what a config says that nobody trusted is held against what the person's layers say together, and never loosens it. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import type { SvcConfig } from '../../src/contracts/config.ts'
import { attack } from './s22-attack.ts'
import { decide, hardTokens, type Layers, loadBoth } from './s22-tightening.ts'

const test = suite('S22 only tighter')

test('a rule that asks lifts no denial, a budget raises no smaller one, a model takes no task elsewhere', async () => {
  assert.equal(await attack(), { write: 'deny', tokens: 4_000, model: 'house/m' })
})

test('all three succeed where the folder is a layer like the others', async () => {
  const seen = await attackWithout('core/test/security/s22-attack.ts', [
    {
      file: 'core/src/config/merge/restrict.ts',
      name: 'restrict',
      weaken: '(real) => (config, person) => ({ ...real(config, person), config, tightening: {} })',
    },
  ])
  assert.equal(seen, { write: 'ask', tokens: 128_000, model: 'cheapco/m' })
})

const verdict = fc.constantFrom('allow', 'ask', 'deny') as fc.Arbitrary<'allow' | 'ask' | 'deny'>
const rule = fc.record(
  {
    tool: fc.constantFrom('*', 'write_file', 'run_command', 'read_file'),
    decision: verdict,
    paths: fc.constantFrom(['secrets/*'], ['*'], ['docs/*']),
  },
  { requiredKeys: ['tool', 'decision'] },
)
const tokens = fc.integer({ min: 1, max: 200_000 })
const some = <Fields extends object>(fields: Fields) =>
  fc.record(fields as never, { requiredKeys: [] }) as fc.Arbitrary<SvcConfig>
const policy = some({ default: verdict, rules: fc.array(rule, { maxLength: 3 }) })
const budget = some({ maxTokens: tokens, maxSteps: tokens, maxWallMs: tokens, maxQueueMs: tokens, maxCostUsd: tokens })
const config = some({ tokenBudget: tokens, budget, policy, model: fc.constantFrom('house/m', 'cheapco/m') })
const folder = some({
  tokenBudget: tokens,
  budget,
  model: fc.constantFrom('house/m', 'cheapco/m', 'm'),
  fallback: fc.constantFrom(['house/n'], ['cheapco/m']),
  policy: some({
    default: verdict,
    rules: fc.array(rule, { maxLength: 3 }),
    root: fc.constant('/'),
    sandbox: fc.constant('none'),
    network: fc.constant(true),
    shell: fc.constant(true),
  }),
  persistSessions: fc.boolean(),
  server: fc.constant({ host: '0.0.0.0' }),
})
const layers = fc.record(
  {
    user: config,
    explicit: config,
    flags: config,
    managed: some({ budget, policy }),
    env: fc.constantFrom({}, { SVC_TOKEN_BUDGET: '3000' }, { SVC_MAX_TOKENS: '900' }, { SVC_MODEL: 'house/e' }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Layers>

const QUESTIONS = (['read', 'write', 'network', 'execute', 'destructive'] as const).flatMap((risk) =>
  ['write_file', 'read_file', 'other'].flatMap((tool) =>
    ['docs/a', 'secrets/b'].map((path) => ({ risk, tool, args: { path } })),
  ),
)
const STRICTNESS = { allow: 0, ask: 1, deny: 2 }

test('whatever the folder and the layers say, no decision and no budget is looser than without the folder', async () => {
  await fc.assert(
    fc.asyncProperty(folder, layers, fc.option(tokens, { nil: undefined }), async (said, person, asked) => {
      const both = await loadBoth(said, person)
      for (const question of QUESTIONS) {
        const [before, after] = [decide(both.without, question), decide(both.with, question)]
        assert.ok(STRICTNESS[after] >= STRICTNESS[before], `${JSON.stringify(question)}: ${before}, then ${after}`)
      }
      const { config: own } = both.without
      const { config: now } = both.with
      assert.ok((now.tokenBudget ?? 0) <= (own.tokenBudget ?? 0))
      assert.ok(hardTokens(both.with, asked) <= hardTokens(both.without, asked))
      for (const name of ['maxSteps', 'maxWallMs', 'maxQueueMs', 'maxCostUsd'] as const) {
        const infinite = Number.POSITIVE_INFINITY
        assert.ok((now.budget?.[name] ?? infinite) <= (own.budget?.[name] ?? infinite), name)
      }
      const others = ({ tokenBudget: _, budget: __, ...rest }: SvcConfig) => JSON.stringify(rest)
      assert.is(others(now), others(own))
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 500 : 60 },
  )
})

test.run()
