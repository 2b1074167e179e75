import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as components from '../src/components.ts'
import * as core from '../src/index.ts'
import * as schema from '../src/schema.ts'

const test = suite('public surface')

const COMPONENTS = [
  'TaskComplexityAnalyzer',
  'TokenBudgetAllocator',
  'AdaptiveOrchestrator',
  'ThreeLayerMemory',
  'ReflectionEngine',
  'ConsensusChecker',
  'InspectorAgent',
]

test('core exports at most ninety-two values, and among them what plugins, embedders and users of components need', () => {
  const names = Object.keys(core)
  assert.ok(names.length <= 92, `${names.length} values: move what few need under a subpath`)
  const wanted = [
    ...COMPONENTS.flatMap((name) => [name, `getGlobal${name}`]),
    ...[
      'AMEND',
      'createMemoryStore',
      'defineTool',
      'defineConfig',
      'definePlugin',
      'startRuntime',
      'SvcError',
      'fits',
      'parse',
    ],
  ]
  assert.equal(
    wanted.filter((name) => !names.includes(name)),
    [],
  )
})

test('each component is one class, whichever way it is imported, and its global instance is made once', () => {
  for (const name of COMPONENTS) {
    const { [name]: own, [`getGlobal${name}`]: getGlobal } = core as unknown as Record<string, () => object>
    assert.is((components as Record<string, unknown>)[name], own)
    assert.ok(own !== undefined && getGlobal?.() instanceof own)
    assert.is(getGlobal?.(), getGlobal?.())
  }
})

test('a record over an enumeration has one field for each word', () => {
  const { ForEach, TOPOLOGIES, Topology, fits } = schema
  const Scores = ForEach(Topology, schema.Fraction('how well it fits'))
  const scores = Object.fromEntries(TOPOLOGIES.map((topology) => [topology, 0.5]))
  assert.ok(fits(Scores, scores))
  assert.not.ok(fits(Scores, { ...scores, HYBRID: 2 }))
  const { HYBRID: _, ...incomplete } = scores
  assert.not.ok(fits(Scores, incomplete))
})

test.run()
