import { type SvcError, TOPOLOGIES, type Topology } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ArmDesign, Cell, ExperimentDesign } from '../../src/experiment/run/record.ts'
import { toTopologyMarkdown, toTopologyReport } from '../../src/experiment/topology/index.ts'

const test = suite('topology of experiments')

const ALL = ['base', 'single', 'parallel']
const TASKS = Array.from({ length: 8 }, (_, at) => `t${at + 1}`)

const armOf = (id: string): ArmDesign => {
  const topology = TOPOLOGIES.find((known) => known === id.toUpperCase())
  return { id, factors: id === 'base' ? [] : ['topology'], change: '', configHash: 'c', ...(topology && { topology }) }
}

const design = (arms: readonly string[]): ExperimentDesign => ({
  format: 1,
  name: 'choice',
  hash: 'h',
  arms: arms.map(armOf),
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

test('regret is the difference to the best fixed topology, to one of no more tokens, and to the oracle', () => {
  const report = toTopologyReport(design(ALL), cells)
  assert.is(report.tasks, 8)
  assert.is(report.best, 'SINGLE')
  assert.is(report.auto.quality, 7 / 8)
  assert.is(report.regret.sameTasks.value, 6 / 8 - 7 / 8)
  assert.is(report.regretAgainstOracle.value, 1 - 7 / 8)
  assert.is(report.regretAtEqualTokens?.sameTasks.value, 6 / 8 - 7 / 8)
  assert.ok((report.regret.sameTasks.interval?.low ?? 1) <= report.regret.sameTasks.value)
  assert.equal(report.choices, [
    { topology: 'SINGLE', runs: 4, quality: 1, fixed: { SINGLE: 1, PARALLEL: 0 } },
    { topology: 'PARALLEL', runs: 4, quality: 0.75, fixed: { SINGLE: 0.5, PARALLEL: 1 } },
  ])
  assert.is(report.scoreAndTokens, 1)
  assert.ok(Math.abs((report.calibration.brier ?? 0) - (4 * 0.01 + 4 * 0.25) / 8) < 1e-9)
  assert.ok(Math.abs((report.calibration.ece ?? 0) - (4 * 0.1 + 4 * 0.5) / 8) < 1e-9)
})

test('at equal tokens the rival is a lot between two topologies where the better one is too dear, and none where all are', () => {
  const priced = (single: number, parallel: number): Cell[] => {
    const tokens: Record<string, number> = { single, parallel }
    return cells.map((each) => ({ ...each, inputTokens: tokens[each.arm] ?? 200 }))
  }
  const { regretAtEqualTokens } = toTopologyReport(design(ALL), priced(300, 100))
  assert.ok(Math.abs((regretAtEqualTokens?.sameTasks.value ?? 9) - ((6 / 8 + 4 / 8) / 2 - 7 / 8)) < 1e-9)
  assert.is(toTopologyReport(design(ALL), priced(300, 400)).regretAtEqualTokens, null)
})

test('runs that an arm lacks, or that failed outside of it, count for no arm', () => {
  const more = TASKS.slice(1).flatMap((task) => [
    cell('single', task, 1, 9000, { seed: 2 }),
    cell('parallel', task, 1, 9000, { seed: 2, outside: true }),
    cell('base', task, 0, 9000, { seed: 2 }),
  ])
  const twice = { ...design(ALL), seeds: [1, 2] }
  assert.equal(toTopologyReport(twice, [...cells, ...more]), toTopologyReport(twice, cells))
  const less = toTopologyReport(
    twice,
    cells.filter(({ arm, task }) => arm !== 'parallel' || task !== 't1'),
  )
  assert.equal([less.tasks, less.missing, less.runs], [7, 1, 7])
  assert.match(toTopologyMarkdown(less), /1 task is left out: some arm has not done it yet/)
})

test('as Markdown: who won, each figure, and how far to trust it', () => {
  const text = toTopologyMarkdown(toTopologyReport(design(ALL), cells))
  assert.match(text, /^# choice: the choice of a topology$/m)
  assert.match(text, /8 tasks of 8 families, 8 runs of each arm\. The automatic choice scored 87\.5 %/)
  assert.match(text, /^\| the best fixed topology \(SINGLE\) \| −12\.5 \| −.* to .* \| −.* \| −.* to .* \|$/m)
  assert.match(text, /^\| the best of each task, known afterwards \| \+12\.5 \| .* \| – \| – \|$/m)
  assert.match(text, /^\| PARALLEL \| 4 \(50\.0 %\) \| 75\.0 % \| 50\.0 % \| 100\.0 % \|$/m)
  assert.match(text, /^\| 0\.8 to 1 \| 4 \| 90\.0 % \| 100\.0 % \|$/m)
  assert.match(text, /rank correlation \(Spearman\) 1\./)
  assert.match(text, /In 2 of 8 tasks all fixed topologies scored the same/)
  assert.match(text, /8 families of tasks are few/)
  assert.match(
    text,
    /These tasks do not show whether the automatic choice is better or worse than always taking SINGLE/,
  )
})

test('an experiment that cannot say it is refused, with what it lacks', () => {
  const refused = (change: Partial<ExperimentDesign>, message: RegExp, own = cells): void => {
    assert.throws(
      () => toTopologyReport({ ...design(ALL), ...change }, own),
      (thrown: SvcError) => thrown.code === 'validation_failed' && message.test(thrown.message),
    )
  }
  refused(design(['base', 'other']), /no arm that differs .* such as single: \{ topology: SINGLE \}/)
  const [base, single] = design(ALL).arms as [ArmDesign, ArmDesign]
  refused({ arms: [base, { ...single, factors: ['model', 'topology'] }] }, /no arm that differs/)
  refused({ arms: [{ ...base, topology: 'HYBRID' }, single] }, /base that fixes the topology HYBRID/)
  refused({}, /no runs yet/, [])
  refused(design(['base', 'hybrid']), /no task yet that every arm has done \(base, hybrid\)/)
})

test.run()
