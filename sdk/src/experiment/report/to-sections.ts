import type { Estimate } from '../statistics/index.ts'
import type { ArmReport, Comparison, ExperimentReport, RunLink } from './experiment-report.ts'
import {
  toCount,
  toDigits,
  toDollars,
  toDuration,
  toNumberOf,
  toPercent,
  toPoints,
  toProbability,
  toRange,
  toRatioText,
  toSize,
} from './format-figures.ts'
import type { Block, Section, TableBlock, TableCell } from './section.ts'
import { describeFailed } from './verdict.ts'

/** A report in the order that it is read in: first how far to trust it, then what changed. */
export function toSections(report: ExperimentReport): Section[] {
  return [
    { title: 'Verdicts', blocks: toVerdicts(report) },
    { title: 'Noise: the base against itself', blocks: toNoiseBlocks(report) },
    { title: 'Differences from the base', blocks: toDifferenceBlocks(report) },
    { title: 'Arms', blocks: toArmBlocks(report) },
    { title: 'Cost and quality', blocks: toFrontierBlocks(report) },
    ...(report.strata.length === 0 ? [] : [{ title: 'Strata', blocks: toStratumBlocks(report) }]),
    { title: 'Worst regressions', blocks: toRegressionBlocks(report) },
    { title: 'What was not tested', blocks: [{ kind: 'list', items: report.notTested } as const] },
    { title: 'What was measured', blocks: toDesignBlocks(report) },
  ]
}

const text = (sentence: string): Block => ({ kind: 'text', text: sentence })

const table = (caption: string, head: readonly string[], rows: readonly (readonly TableCell[])[]): TableBlock => ({
  kind: 'table',
  caption,
  head,
  rows,
})

/** What is to be said of verdicts before the end: who stops where they please finds differences that are not there. */
export const toCaveat = ({ sample: { cells, planned } }: ExperimentReport): string | undefined =>
  cells < planned
    ? `Preliminary: ${toCount(cells)} of ${toCount(planned)} runs are made. Verdicts before the end are right less often than they say.`
    : undefined

/** What failed, which goes before every verdict. */
export const toFailed = ({ arms }: ExperimentReport): string =>
  arms.some(({ failed }) => failed.runs > 0) ? describeFailed(arms) : 'No run failed'

const labelOf = ({ arm, factors }: Comparison): string =>
  factors.length > 1 ? `${arm} (${toNumberOf(factors.length, 'factor')} at once: ${factors.join(', ')})` : arm

function toVerdicts(report: ExperimentReport): Block[] {
  const { comparisons, noise } = report
  const caveat = toCaveat(report)
  return [
    text(`${toFailed(report)}.`),
    ...(caveat === undefined ? [] : [text(caveat)]),
    ...(noise?.falseAlarm === true
      ? [text('Take care: the base differs from itself here, so a difference below can be chance too.')]
      : []),
    comparisons.length === 0
      ? text('No arm was compared with the base.')
      : { kind: 'list', items: comparisons.map((comparison) => `${labelOf(comparison)}: ${comparison.verdict}`) },
  ]
}

function toNoiseBlocks({ noise }: ExperimentReport): Block[] {
  if (noise === null) return [text('The base was not run twice, so the noise is unknown.')]
  const { quality, falseAlarm, finding, sd, tasks } = noise
  const spread = sd === null ? '' : ` Tasks differ by chance with a standard deviation of ${toSize(sd)} points.`
  if (quality.interval === null) return [text(`${toNumberOf(tasks, 'task')}: too few for an interval.${spread}`)]
  if (finding === 'none') return [text(noise.verdict)]
  const found = falseAlarm
    ? 'A false alarm: the interval leaves out 0 though nothing was changed. One in twenty experiments has one; more mean that runs are not independent.'
    : 'No false alarm: the interval holds 0, as it should.'
  return [
    text(
      `The base run again: ${toPoints(quality.value)} points (95 % interval ${toRange(quality.interval)}) over ${toNumberOf(tasks, 'task')}. ${found}${spread}`,
    ),
  ]
}

function toDifferenceBlocks(report: ExperimentReport): Block[] {
  const { comparisons, noise } = report
  const all = noise === null ? comparisons : [noise, ...comparisons]
  if (all.length === 0) return [text('Nothing to compare.')]
  const replayed = comparisons.filter(({ missShare }) => missShare !== null)
  return [
    table(
      'Quality, in points',
      [
        'arm',
        'tasks',
        'without a pair',
        'difference',
        '95 % interval',
        'p',
        'p by Holm',
        'McNemar p',
        `within ±${toSize(report.margin)}`,
      ],
      all.map((each) => [
        labelOf(each),
        toCount(each.tasks),
        toCount(each.leftOut),
        toPoints(each.quality.value),
        toRange(each.quality.interval),
        toProbability(each.p),
        each === noise ? '–' : toProbability(each.holmP),
        each.mcnemar === null
          ? '–'
          : `${toProbability(each.mcnemar.p)} (+${each.mcnemar.onlyArm}, −${each.mcnemar.onlyBase})`,
        // The two one-sided tests go by the 90 % interval, which the table has nowhere else.
        each.equivalence === 'shown' ? `shown (90 %: ${toRange(each.quality.interval90)})` : each.equivalence,
      ]),
    ),
    table(
      'Tokens, cost and time, as a multiple of the base (95 % interval)',
      ['arm', 'tokens', 'p by Holm', 'cost', 'latency'],
      all.map((each) => [
        each.arm,
        toRatioText(each.tokens),
        each === noise ? '–' : toProbability(each.tokens?.holmP ?? null),
        toRatioText(each.costUsd),
        toRatioText(each.latencyMs),
      ]),
    ),
    ...(replayed.length === 0
      ? []
      : [
          table(
            'Replay',
            ['arm', 'calls not in the recording', 'what it means'],
            replayed.map(({ arm, missShare }) => [
              arm,
              toPercent(missShare),
              (missShare ?? 0) <= 0.05
                ? 'an offline result: the recordings answered nearly all calls'
                : 'live runs are needed: the arm asks what the base never asked',
            ]),
          ),
        ]),
  ]
}

function toArmBlocks({ arms }: ExperimentReport): Block[] {
  const estimated = ({ estimated }: ArmReport): string => (estimated ? ' (estimated)' : '')
  return [
    table(
      'Quality and effort of a run, means',
      [
        'arm',
        'runs',
        'quality',
        '95 % interval',
        'success',
        'tokens in',
        'out',
        'cached',
        'cost',
        'p50',
        'p95',
        'model calls',
        'tool calls',
      ],
      arms.map((arm) => [
        arm.id,
        toCount(arm.runs),
        toPercent(arm.quality.value),
        toRange(arm.quality.interval),
        toPercent(arm.successRate),
        `${toCount(arm.inputTokens)}${estimated(arm)}`,
        toCount(arm.outputTokens),
        toCount(arm.cachedTokens),
        arm.costUsd === null ? 'no price' : toDollars(arm.costUsd),
        toDuration(arm.latencyP50Ms),
        toDuration(arm.latencyP95Ms),
        toCount(arm.modelCalls),
        toCount(arm.toolCalls),
      ]),
    ),
    ...(arms.every(({ setup }) => setup === null)
      ? []
      : [
          table(
            'Set-up turns before a run, means',
            ['arm', 'tokens', 'cost'],
            arms.map(({ id, setup }) => [id, toCount(setup?.tokens ?? null), toDollars(setup?.costUsd ?? null)]),
          ),
        ]),
    table(
      'What went wrong, in runs',
      ['arm', 'did not complete', 'issues', 'left out, failed outside the arm'],
      arms.map(({ id, failures, issues, outside }) => [id, toCounts(failures), toCounts(issues), toCount(outside)]),
    ),
  ]
}

const toCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, number]) => `${name} ${toCount(number)}`)
    .join(', ') || 'none'

function toFrontierBlocks(report: ExperimentReport): Block[] {
  const { arms, frontier } = report
  const say = frontier.by === 'costUsd' ? toDollars : toCount
  const left = arms.filter(({ failed }) => failed.share > report.failureLimit).map(({ id }) => id)
  const by = frontier.by === 'costUsd' ? 'cost of a run' : 'tokens of a run'
  return [
    ...(frontier.by === 'tokens' ? [text('A model has no price, so tokens stand for cost.')] : []),
    table(
      'Choices, with 95 % intervals',
      [
        'arm',
        by,
        'interval',
        'quality',
        'interval',
        'success per 1,000 tokens',
        'E³ (quality² per 1,000 tokens)',
        'choice',
        'on the front in samples',
      ],
      frontier.arms.flatMap(({ id, cost, onFront }) =>
        arms
          .filter((arm) => arm.id === id)
          .map((arm) => [
            id,
            say(cost.value),
            cost.interval === null ? toRange(null) : `${say(cost.interval.low)} to ${say(cost.interval.high)}`,
            toPercent(arm.quality.value),
            toRange(arm.quality.interval),
            toDigits(arm.successPer1kTokens),
            toDigits(arm.e3),
            toChoice(report, id),
            toPercent(onFront),
          ]),
      ),
    ),
    ...(left.length === 0 ? [] : [text(`No choice, since too many runs failed: ${left.join(', ')}.`)]),
  ]
}

function toChoice({ frontier }: ExperimentReport, arm: string): string {
  const beaten = frontier.dominated.find(({ id }) => id === arm)
  return beaten === undefined ? 'on the front' : `dominated by ${beaten.by}`
}

function toStratumBlocks({ strata }: ExperimentReport): Block[] {
  const rows = strata.flatMap(({ stratum, value, base, arms }) =>
    arms.map(({ arm, tasks, quality }) => [
      `${stratum}: ${value}`,
      arm,
      toCount(tasks),
      toPercent(base),
      toPoints(quality.value),
      toRange(quality.interval),
    ]),
  )
  return [
    text(
      'Intervals of strata are not adjusted for being many: they say where to look next, and show nothing by themselves.',
    ),
    table('Quality by stratum', ['stratum', 'arm', 'tasks', 'base', 'difference in points', '95 % interval'], rows),
  ]
}

function toRegressionBlocks({ regressions, noise }: ExperimentReport): Block[] {
  const toRun = ({ score, runId, bundle }: RunLink): TableCell =>
    bundle === undefined ? `${toDigits(score)} ${runId}` : { text: `${toDigits(score)} ${runId}`, path: bundle }
  return [
    ...(noise === null || regressions.every(({ total }) => total === 0)
      ? []
      : [text(`Of the base against itself, ${toShare(noise.lost)} of the tasks scored less the second time.`)]),
    ...regressions.flatMap(({ arm, worst, total, share }): Block[] =>
      total === 0
        ? [text(`${arm}: no task scored less than with the base.`)]
        : [
            table(
              `${arm}: ${toShare(share)} of the tasks scored less than with the base; ${toNumberOf(worst.length, 'task')} of ${toCount(total)}`,
              [
                'task',
                'seed',
                'difference in points',
                'interval',
                'base: score and run',
                'arm: score and run',
                'evidence of the base',
                'evidence of the arm',
              ],
              worst.map(({ task, seed, difference, interval, base, arm }) => [
                task,
                String(seed),
                toPoints(difference),
                toRange(interval),
                toRun(base),
                toRun(arm),
                base.evidence ?? '–',
                arm.evidence ?? '–',
              ]),
            ),
          ],
    ),
  ]
}

const toShare = ({ value, interval }: Estimate): string =>
  `${toPercent(value)}${interval === null ? '' : ` (95 % interval ${toRange(interval)})`}`

function toDesignBlocks(report: ExperimentReport): Block[] {
  const { sample, arms, versions, budget, seeds } = report
  const { effect, sd, assumed } = sample.detectable
  const basis = assumed
    ? 'assumed: that of scores of 0 or 1 that are right half of the time'
    : 'that of the base against itself'
  const shown =
    effect < 1
      ? `It shows a difference of ${toSize(effect)} points or more in four of five experiments, with a standard deviation of differences of ${toSize(sd)} points, ${basis}.`
      : 'Too few tasks, or families of tasks, to show any difference.'
  const limits = [
    ...(budget.maxTokens === undefined ? [] : [`${toCount(budget.maxTokens)} tokens`]),
    ...(budget.maxCostUsd === undefined ? [] : [toDollars(budget.maxCostUsd)]),
  ]
  return [
    text(
      `${toNumberOf(sample.tasks, 'task')} of ${toNumberOf(sample.families, 'family', 'families')}, ${toNumberOf(seeds.length, 'seed')}, ${toNumberOf(sample.cells, 'run')}. ${shown}`,
    ),
    text(
      sample.setup.turns === 0
        ? 'Each run had a memory of its own, empty at its beginning.'
        : `Each run had a memory of its own. ${toCount(sample.setup.tasks)} of ${toNumberOf(sample.tasks, 'task')} filled it first, with ${toNumberOf(sample.setup.turns, 'set-up turn')}, whose tokens are counted apart.`,
    ),
    table(
      'Design',
      ['what', 'value'],
      [
        ['design, SHA-256', report.designHash],
        ['scorer', report.scorer],
        ['seeds', seeds.join(', ')],
        ['replay', report.replay],
        ['budget', limits.join(', ') || 'none'],
        ...Object.entries(versions).map(([name, version]) => [name, version]),
      ],
    ),
    table(
      'Configs',
      ['arm', 'factors', 'change', 'config, SHA-256'],
      arms.map(({ id, factors, change, configHash }) => [
        id,
        factors.length > 1
          ? `${toNumberOf(factors.length, 'factor')} at once: ${factors.join(', ')}`
          : (factors[0] ?? 'none'),
        change,
        configHash,
      ]),
    ),
  ]
}
