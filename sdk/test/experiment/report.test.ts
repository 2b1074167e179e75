import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toMarkdown, toReport } from '../../src/experiment/report/index.ts'
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
  assert.match(
    find('better')?.verdict ?? '',
    /^Failed runs: base \d+ of 360 \([\d.]+ %\), better .+\. Better by [\d.]+ points \(95 % interval [\d.]+ to [\d.]+\)\.$/,
  )
  assert.ok((find('better')?.holmP ?? 1) <= 0.05)
  assert.ok(Math.abs((find('better')?.tokens?.value ?? 0) - 1.3) < 0.1)
})

test('no gain is not called none while the sample is small', () => {
  assert.match(
    find('same')?.verdict ?? '',
    /Not enough tasks to tell: 95 % interval .+; the sample would show .+ points or more\.$/,
  )
  assert.is(report.noise?.falseAlarm, false)
  assert.is(report.sample.detectable.assumed, false)
})

test('the order of cells and tasks changes nothing, and the report is JSON', () => {
  const shuffled = toReport(design, [...cells].reverse())
  assert.equal(shuffled, report)
  const read = JSON.parse(JSON.stringify(report))
  assert.equal(read, report)
  assert.is(toMarkdown(read), toMarkdown(report))
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
  assert.not.match(toMarkdown(empty), /NaN|undefined|Infinity/)
  const alone = toReport({ ...design, arms: design.arms.filter(({ id }) => id === BASE) }, cells)
  assert.is(alone.noise, null)
  assert.not.match(toMarkdown(alone), /NaN|undefined|Infinity/)
  assert.is(
    toReport({ ...design, arms: design.arms.filter(({ id }) => id === BASE || id === AGAIN) }, cells).comparisons
      .length,
    0,
  )
})

test('what tasks and models said stays text in Markdown', () => {
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

test('an arm of which too many runs failed has no verdict on quality, and is no choice', () => {
  const fail = (share: number) => {
    const simulated = simulateExperiment({ tasks: 40, familySize: 1, seeds: 1, arms: [{ id: 'broken' }] })
    let runs = 0
    const failing = simulated.cells.map((cell): Cell => {
      const whole = { ...cell, status: 'completed' as const, score: cell.status === 'failed' ? 0 : cell.score }
      delete whole.error
      if (cell.arm !== 'broken' || runs++ >= share * 40) return whole
      return { ...whole, status: 'failed', score: 0, error: { code: 'provider_unavailable', message: 'no' } }
    })
    return toReport(simulated.design, failing)
  }
  const all = fail(1)
  assert.is(all.comparisons[0]?.finding, 'none')
  assert.is(
    all.comparisons[0]?.verdict,
    'Failed runs: base 0 of 40, broken 40 of 40 (100.0 %). No verdict on quality: more than 10.0 % failed.',
  )
  assert.equal(all.arms.find(({ id }) => id === 'broken')?.failed, { runs: 40, share: 1 })
  assert.equal(all.frontier.front, ['base'])
  const markdown = toMarkdown(all)
  assert.ok(markdown.indexOf('Failed runs:') < markdown.indexOf('broken:'))
  assert.match(markdown, /No choice, since too many runs failed: broken\./)
  assert.is(fail(0.125).comparisons[0]?.finding, 'none')
  assert.is.not(fail(0.1).comparisons[0]?.finding, 'none')
  assert.match(toMarkdown(fail(0)), /## Verdicts\n\nNo run failed\./)
})

test('runs that failed outside an arm count against a verdict too, since what is left is a choice', () => {
  const simulated = simulateExperiment({ tasks: 40, familySize: 1, seeds: 1, arms: [{ id: 'away' }] })
  const away = simulated.cells.map(
    (cell, index): Cell =>
      cell.arm === 'away' && index % 2 === 0
        ? { ...cell, status: 'failed', outside: true, error: { code: 'provider_timeout', message: 'no' } }
        : cell,
  )
  assert.is(toReport(simulated.design, away).comparisons[0]?.finding, 'none')
})

test('the front and the regressions say how sure they are', () => {
  for (const { id, cost, onFront } of report.frontier.arms) {
    assert.ok(cost.interval !== null && cost.interval.low < cost.value && cost.value < cost.interval.high, id)
    assert.ok(onFront !== null && onFront >= 0 && onFront <= 1)
  }
  const sureOf = (arm: string): number => report.frontier.arms.find(({ id }) => id === arm)?.onFront ?? Number.NaN
  assert.ok(sureOf('better') > 0.95 && sureOf('wasteful') < 0.5, `${sureOf('better')} ${sureOf('wasteful')}`)
  const { worst, share } = report.regressions.find(({ arm }) => arm === 'wasteful') ?? { worst: [], share: undefined }
  assert.ok((share?.interval?.low ?? 1) < (share?.value ?? 0))
  for (const { difference, interval } of worst)
    assert.ok(interval !== null && interval.low <= difference && difference <= interval.high)
  // Nothing was made worse: at most one task in twenty that are shown may say so.
  assert.ok(worst.filter(({ interval }) => (interval?.high ?? 0) < 0).length <= 1)
  assert.match(
    toMarkdown(report),
    /Of the base against itself, [\d.]+ % \(95 % interval [\d.]+ to [\d.]+\) of the tasks/,
  )
})

test.run()
