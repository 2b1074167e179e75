import type { Topology } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Cell, ExperimentDesign } from '../src/experiment/record.ts'
import { calibrate, spearman } from '../src/experiment/topology/calibration.ts'
import { toTopologyReport } from '../src/experiment/topology/to-topology-report.ts'

const test = suite('topology of experiments')

const TASKS = Array.from({ length: 8 }, (_, at) => `t${at + 1}`)

const design = (arms: readonly string[]): ExperimentDesign => ({
  format: 1,
  name: 'choice',
  hash: 'h',
  arms: arms.map((id) => ({ id, factors: [], change: '', configHash: 'c' })),
  tasks: TASKS.map((id) => ({ id, family: id, strata: {} })),
  seeds: [1],
  scorer: 'exact',
  replay: 'off',
  budget: {},
  passMark: 1,
  parts: {},
  margin: 0.05,
  versions: {},
})

const cell = (arm: string, task: string, score: number, tokens: number, more: Partial<Cell> = {}): Cell => ({
  arm,
  task,
  seed: 1,
  runId: 'run_x',
  status: 'completed',
  score,
  inputTokens: tokens,
  outputTokens: 0,
  cachedTokens: 0,
  estimated: false,
  costUsd: null,
  latencyMs: 1,
  modelCalls: 1,
  toolCalls: 0,
  issues: [],
  ...more,
})

/** SINGLE is right in the first six tasks, PARALLEL in the last four; SINGLE is chosen in the first four. */
const cells = TASKS.flatMap((task, at) => {
  const single = Number(at < 6)
  const parallel = Number(at >= 4)
  const chosen: Topology = at < 4 ? 'SINGLE' : 'PARALLEL'
  const score = at === 7 ? 0 : 1
  const analysis = { recommendedTopology: chosen, score: at / 10, confidence: at < 4 ? 0.9 : 0.5, utilities: {} }
  return [
    cell('single', task, single, 100),
    cell('parallel', task, parallel, 300),
    cell('base', task, score, 200 + at, { topology: chosen, analysis }),
  ]
})

test('regret is the difference to the best fixed topology, to a mix of equal tokens, and to the oracle', () => {
  const report = toTopologyReport(design(['base', 'single', 'parallel']), cells)
  assert.is(report.tasks, 8)
  assert.is(report.best, 'SINGLE')
  assert.is(report.auto.quality, 7 / 8)
  assert.is(report.regret.value, 6 / 8 - 7 / 8)
  assert.is(report.regretAgainstOracle.value, 1 - 7 / 8)
  const part = (300 - report.auto.tokens) / 200
  const mixed = part * (6 / 8) + (1 - part) * (4 / 8)
  assert.ok(Math.abs((report.regretAtEqualTokens?.value ?? 9) - (mixed - 7 / 8)) < 1e-9)
  assert.ok((report.regret.interval?.low ?? 1) <= report.regret.value)
  assert.equal(report.choices, [
    { topology: 'SINGLE', cells: 4, quality: 1, fixed: { SINGLE: 1, PARALLEL: 0 } },
    { topology: 'PARALLEL', cells: 4, quality: 0.75, fixed: { SINGLE: 0.5, PARALLEL: 1 } },
  ])
  assert.is(report.scoreAndTokens, 1)
  assert.ok(Math.abs((report.calibration.brier ?? 0) - (4 * 0.01 + 4 * 0.25) / 8) < 1e-9)
  assert.ok(Math.abs((report.calibration.ece ?? 0) - (4 * 0.1 + 4 * 0.5) / 8) < 1e-9)
})

test('an experiment without fixed topologies, without cells, or without whole tasks is refused', () => {
  assert.throws(() => toTopologyReport(design(['base', 'other']), cells), /no arm that fixes the topology.*single/)
  assert.throws(() => toTopologyReport(design(['base', 'single']), []), /no cells yet/)
  assert.throws(() => toTopologyReport(design(['base', 'hybrid']), cells), /no task with a cell in every arm/)
})

test('calibration of certain and right predictions has no error; ranks with ties and constants are honest', () => {
  const { brier, ece, bins } = calibrate([{ confidence: 1, isRight: true }])
  assert.equal([brier, ece, bins.at(-1)?.count], [0, 0, 1])
  assert.equal(calibrate([]).ece, null)
  assert.is(
    spearman([
      [1, 3],
      [2, 2],
      [3, 1],
    ]),
    -1,
  )
  assert.is(
    spearman([
      [1, 1],
      [1, 2],
      [1, 3],
    ]),
    null,
  )
  assert.is(spearman([[1, 1]]), null)
})

test.run()
