import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toHtml, toMarkdown, toReport } from '../../src/experiment/report/index.ts'
import { AGAIN, BASE, type Cell } from '../../src/experiment/run/record.ts'
import { simulateExperiment } from '../fixtures/simulate-experiment.ts'

const test = suite('report of an experiment')

const { design, cells } = simulateExperiment({
  tasks: 120,
  arms: [
    { id: 'better', gain: 0.3, effort: 1.3 },
    { id: 'same', factors: ['components.reflect', 'models.default'] },
    { id: 'wasteful', effort: 2 },
  ],
})
const report = toReport(design, cells)
const find = (arm: string) => report.comparisons.find((each) => each.arm === arm)

test('a large gain is found, with the interval in the sentence', () => {
  assert.match(find('better')?.verdict ?? '', /^Better by [\d.]+ points \(95 % interval [\d.]+ to [\d.]+\)\.$/)
  assert.ok((find('better')?.holmP ?? 1) <= 0.05)
  assert.ok(Math.abs((find('better')?.tokens?.value ?? 0) - 1.3) < 0.1)
})

test('no gain is not called none while the sample is small', () => {
  assert.match(
    find('same')?.verdict ?? '',
    /^Not enough tasks to tell: 95 % interval .+; the sample would show .+ points or more\.$/,
  )
  assert.is(report.noise?.falseAlarm, false)
  assert.is(report.sample.detectable.assumed, false)
})

test('the order of cells and tasks changes nothing, and the report is JSON', () => {
  const shuffled = toReport(design, [...cells].reverse())
  assert.equal(shuffled, report)
  const read = JSON.parse(JSON.stringify(report))
  assert.equal(read, report)
  assert.is(toHtml(read), toHtml(report))
})

test('equal scores are no difference only where the tasks are many', () => {
  const zero = (tasks: number) => {
    const simulated = simulateExperiment({ tasks, familySize: 1, seeds: 1 })
    const equal = simulated.cells.map((cell) => ({ ...cell, status: 'completed' as const, score: 1 }))
    return toReport(simulated.design, equal).comparisons[0]?.verdict ?? ''
  }
  assert.match(zero(50), /^Not enough tasks to tell/)
  assert.match(zero(500), /^No difference larger than 2 points/)
})

test('a missing price is no price, and tokens stand for cost', () => {
  const simulated = simulateExperiment({ arms: [{ id: 'local', priced: false }] })
  const found = toReport(simulated.design, simulated.cells)
  assert.is(found.arms.find(({ id }) => id === 'local')?.costUsd, null)
  assert.is(found.comparisons[0]?.costUsd, null)
  assert.is(found.frontier.by, 'tokens')
  assert.ok(found.notTested.some((sentence) => sentence.includes('no price: local')))
})

test('a comparison uses the pairs that both arms have, and says how many are left out', () => {
  const outside: Partial<Cell> = {
    status: 'failed',
    score: 0,
    error: { code: 'provider_unavailable', message: 'The provider does not answer.' },
  }
  const some = cells
    .filter(
      ({ arm, task, seed }) => !(arm === 'better' && (task === 'task-000' || (task === 'task-001' && seed === 1))),
    )
    .map((cell) => (cell.arm === 'better' && cell.task === 'task-002' ? { ...cell, ...outside } : cell))
  const found = toReport(design, some)
  const better = found.comparisons.find(({ arm }) => arm === 'better')
  assert.is(better?.tasks, 118)
  assert.is(better?.leftOut, 2)
  assert.is(found.arms.find(({ id }) => id === 'better')?.outside, 3)
  for (const sentence of [
    'better: 1 task without a run.',
    'better: 1 task without some of the seeds.',
    'better: 3 runs left out, failed for reasons outside the arm (provider_unavailable).',
  ])
    assert.ok(found.notTested.includes(sentence), found.notTested.join('\n'))
})

test('dominated arms, several factors at once and the miss share are named', () => {
  assert.equal(report.frontier.dominated.filter(({ id }) => id === 'wasteful').length, 1)
  const markdown = toMarkdown(report)
  assert.match(markdown, /same \(2 factors at once: components\.reflect, models\.default\)/)
  assert.match(markdown, /live runs are needed/)
})

test('regressions are ten at most, the worst first, with paths to both runs', () => {
  const { worst, total } = report.regressions.find(({ arm }) => arm === 'wasteful') ?? { worst: [], total: 0 }
  assert.is(worst.length, Math.min(10, total))
  for (const { base, arm } of worst) {
    assert.ok(arm.score < base.score)
    assert.match(base.bundle ?? '', /^runs\/base\//)
  }
})

test('no cell at all still makes a report', () => {
  const empty = toReport(design, [])
  assert.is(empty.comparisons[0]?.verdict, 'Not compared: no task has a run of both.')
  for (const text of [toMarkdown(empty), toHtml(empty)]) assert.not.match(text, /NaN|undefined|Infinity/)
  const alone = toReport({ ...design, arms: design.arms.filter(({ id }) => id === BASE) }, cells)
  assert.is(alone.noise, null)
  assert.not.match(toHtml(alone), /NaN|undefined|Infinity/)
  assert.is(
    toReport({ ...design, arms: design.arms.filter(({ id }) => id === BASE || id === AGAIN) }, cells).comparisons
      .length,
    0,
  )
})

test('what tasks and models said stays text in Markdown and in HTML', () => {
  const attack =
    '"><img src=x onerror=alert(1)>|</td><script>alert(2)</script>\n## head [a](javascript:alert(3)) `code`'
  const simulated = simulateExperiment({ name: attack, arms: [{ id: attack, gain: -0.3 }] })
  const dirty = simulated.cells.map((cell) => ({
    ...cell,
    runId: attack,
    evidence: attack,
    bundle: `javascript:${attack}`,
  }))
  const found = toReport(simulated.design, dirty)
  const html = toHtml(found)
  assert.not.match(html, /<script|<img|href="javascript/i)
  const markdown = toMarkdown(found)
  assert.not.match(markdown, /<img|<script|(?<!\\)\]\(javascript|^## head/m)
  for (const line of markdown.split('\n').filter((each) => each.startsWith('| ')))
    assert.ok(line.endsWith(' |') || line.endsWith('|'), line)
  // Every row of a table has as many cells as its head.
  for (const block of markdown.split('\n\n').filter((each) => each.startsWith('| '))) {
    const widths = block
      .trimEnd()
      .split('\n')
      .map((line) => line.match(/(?<!\\)\|/g)?.length)
    assert.is(new Set(widths).size, 1, block)
  }
})

test.run()
