import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AnalyzerWeights,
  type Outcome,
  TaskComplexityAnalyzer,
} from '../src/components/task-complexity-analyzer/index.ts'
import { fitIsotonic, readIsotonic } from '../src/components/task-complexity-analyzer/isotonic.ts'
import { fitLogistic, probabilityOf } from '../src/components/task-complexity-analyzer/logistic.ts'
import type { Topology } from '../src/contracts/words.ts'
import { SvcError } from '../src/errors.ts'

const test = suite('analyzer calibration')

/** Numbers in [0, 1), the same every time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

/** One agent does well on narrow tasks, a team on broad ones. */
function outcomes(count: number, chance: (topology: Topology, breadth: number) => number): Outcome[] {
  const next = numbers(7)
  return Array.from({ length: count }, (_, index) => {
    const topology: Topology = index % 2 === 0 ? 'SINGLE' : 'PARALLEL'
    const breadth = next()
    const features = { breadth, steps: next(), reasoning: next() }
    return { features, topology, success: next() < chance(topology, breadth) }
  })
}
const structured = (topology: Topology, breadth: number): number =>
  topology === 'SINGLE' ? 0.95 - 0.8 * breadth : 0.15 + 0.8 * breadth

test('learns from 200 outcomes on which features make a topology succeed, and says how well', () => {
  const analyzer = new TaskComplexityAnalyzer()
  const { model } = analyzer.calibrate(outcomes(600, structured))
  assert.ok(model !== undefined)
  const { records, brier, baselineBrier, ece } = model.quality
  assert.is(records, 600)
  assert.ok(brier < baselineBrier - 0.02, `${brier} against ${baselineBrier}`)
  assert.ok(ece < 0.08, `calibration error ${ece}`)
  const breadth = model.features.indexOf('breadth')
  assert.ok((model.topologies.SINGLE?.weights[breadth] ?? 0) < -1)
  assert.ok((model.topologies.PARALLEL?.weights[breadth] ?? 0) > 1)
  assert.is(model.topologies.HYBRID, undefined)
})

test('moves the choice towards what has worked', () => {
  const task = { id: 'x', description: 'Compare Redis, Memcached and Dragonfly' }
  const before = new TaskComplexityAnalyzer().analyze(task)
  const fails = new TaskComplexityAnalyzer()
  fails.calibrate(
    outcomes(600, (topology, breadth) => (topology === 'SINGLE' ? 0.5 + 0.5 * breadth : 0.5 - 0.5 * breadth)),
  )
  const after = fails.analyze(task)
  assert.is(before.recommendedTopology, 'PARALLEL')
  assert.is(after.recommendedTopology, 'SINGLE')
  assert.is(after.source, 'calibrated')
  assert.ok(after.confidence >= 0 && after.confidence <= 1)
})

test('gives a confidence that is the expected success of what it recommends', () => {
  const analyzer = new TaskComplexityAnalyzer()
  analyzer.calibrate(outcomes(1000, structured))
  const { confidence, recommendedTopology } = analyzer.analyze({ id: 'x', description: 'Hello' })
  assert.is(recommendedTopology, 'SINGLE')
  assert.ok(confidence > 0.8, String(confidence))
})

test('learns nothing from few outcomes, from few of a topology, or from noise', () => {
  const analyzer = new TaskComplexityAnalyzer()
  assert.is(analyzer.calibrate(outcomes(199, structured)).model, undefined)
  assert.is(analyzer.calibrate(outcomes(400, () => 0.5)).model, undefined)
  const rare = outcomes(400, structured).filter(({ topology }, index) => topology === 'SINGLE' || index < 58)
  const { model } = analyzer.calibrate(rare)
  assert.is(model?.topologies.PARALLEL, undefined)
  assert.ok(model?.topologies.SINGLE !== undefined)
})

test('hands on what was learnt as plain JSON', () => {
  const analyzer = new TaskComplexityAnalyzer()
  const weights: AnalyzerWeights = JSON.parse(JSON.stringify(analyzer.calibrate(outcomes(400, structured))))
  const task = { id: 'x', description: 'Translate the text into French, German and Spanish' }
  assert.equal(new TaskComplexityAnalyzer({ weights }).analyze(task), analyzer.analyze(task))
})

test('refuses what was learnt on other features, or is no model', () => {
  const { model } = new TaskComplexityAnalyzer().calibrate(outcomes(400, structured))
  assert.ok(model !== undefined)
  for (const wrong of [
    { ...model, features: ['luck'] },
    { topologies: {} },
    { ...model, isotonic: { said: [1], was: [] } },
  ]) {
    try {
      new TaskComplexityAnalyzer({ weights: { model: wrong as never } })
      assert.unreachable()
    } catch (error) {
      assert.ok(SvcError.isInstance(error))
      assert.match(error.message, /weights\.model/)
    }
  }
})

test('forgets what an earlier calibration learnt', () => {
  const analyzer = new TaskComplexityAnalyzer()
  analyzer.calibrate(outcomes(400, structured))
  assert.is(analyzer.calibrate([]).model, undefined)
  assert.is(analyzer.analyze({ id: 'x', description: 'Hello' }).source, 'lexical')
})

test('the isotonic curve never falls, stays within what was seen, and leaves a rising one as it is', () => {
  const anyPoint = fc.record({ x: fc.double({ min: 0, max: 1, noNaN: true }), y: fc.integer({ min: 0, max: 1 }) })
  fc.assert(
    fc.property(fc.array(anyPoint, { minLength: 1, maxLength: 60 }), (points) => {
      const curve = fitIsotonic(
        points.map(({ x }) => x),
        points.map(({ y }) => y),
      )
      let before = 0
      for (let at = 0; at <= 1; at += 0.05) {
        const value = readIsotonic(curve, at)
        assert.ok(value >= before - 1e-12 && value <= 1)
        before = value
      }
    }),
  )
  const rising = fitIsotonic([0.1, 0.2, 0.9], [0, 0.3, 0.8])
  assert.equal(rising, { said: [0.1, 0.2, 0.9], was: [0, 0.3, 0.8] })
  assert.ok(Math.abs(readIsotonic(rising, 0.55) - 0.55) < 1e-12)
  assert.is(readIsotonic({ said: [], was: [] }, 0.4), 0.4)
})

test('the logistic regression finds the weights that made the data, and a ridge makes them smaller', () => {
  const next = numbers(3)
  const rows = Array.from({ length: 4000 }, () => [next(), next()])
  const truth = { intercept: -1, weights: [3, -2] }
  const targets = rows.map((row) => (next() < probabilityOf(truth, row) ? 1 : 0))
  const found = fitLogistic(rows, targets, 0.01)
  assert.ok(Math.abs((found.weights[0] ?? 0) - 3) < 0.3 && Math.abs((found.weights[1] ?? 0) + 2) < 0.3)
  assert.ok(Math.abs(found.intercept + 1) < 0.2)
  const held = fitLogistic(rows, targets, 500)
  assert.ok(Math.abs(held.weights[0] ?? 0) < Math.abs(found.weights[0] ?? 0))
  const certain = fitLogistic([[0], [1]], [0, 1], 1)
  assert.ok(Number.isFinite(certain.intercept) && (certain.weights[0] ?? 0) > 0)
})

test.run()
