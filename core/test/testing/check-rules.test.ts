/** Broken providers and a broken store: `checkProvider` and `checkStore` find the rule that each breaks, and no other. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ModelProvider, type ModelRequest, ProviderError } from '../../src/index.ts'
import { checkProvider, type RuleResult, type Script, scriptedProvider } from '../../src/testing/index.ts'

const test = suite('rules of checkProvider and checkStore')

const FAILING: Partial<ModelRequest> = { seed: 1 }
const gone = new ProviderError('provider_unavailable', 'gone', { provider: 'odd' })
const odd = (script: Script, rest: Partial<ModelProvider> = {}): ModelProvider => ({
  ...scriptedProvider('odd', (request, index) => (request.seed === 1 ? { error: gone } : script(request, index))),
  ...rest,
})

let answers = 0
const BROKEN: readonly (readonly [what: string, rule: string, make: () => ModelProvider])[] = [
  ['without a finish', 'answers', () => odd(() => [{ type: 'text', text: 'x' }])],
  [
    'that throws a bare error',
    'errors',
    () => scriptedProvider('odd', ({ seed }) => (seed === 1 ? { error: new Error('boom') } : 'x')),
  ],
  ['whose id is no slug', 'id', () => odd(() => 'x', { id: 'No Slug' })],
  ['with a model without an id', 'models', () => odd(() => 'x', { models: async () => [{ id: '' }] })],
  [
    'that is not as deterministic as it says',
    'deterministic',
    () => odd(() => `${++answers}`, { deterministic: true }),
  ],
  [
    'that ignores an abort',
    'cancels',
    () => ({
      ...odd(() => 'x'),
      async *generate(request, options) {
        for await (const part of odd(() => 'x').generate(request, { signal: new AbortController().signal })) yield part
        if (options.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 150))
      },
    }),
  ],
]

for (const [what, rule, make] of BROKEN) {
  test(`a provider ${what} breaks the rule "${rule}" and no other`, async () => {
    const rules: RuleResult[] = []
    const abortWithinMs = rule === 'cancels' ? 100 : 60_000
    const options = { failing: [FAILING], abortWithinMs }
    const findings = await checkProvider(make, { ...options, onRule: (result) => rules.push(result) })
    const failed = rules.filter(({ result }) => result === 'failed')
    assert.equal([...failed.map((each) => each.rule)], [rule], findings.join('\n'))
  })
}

test.run()
