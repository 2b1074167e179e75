import { toCount, toDigits, toNumberOf, toPercent, toPoints, toRange } from '../report/format-figures.ts'
import type { Block, Section, TableBlock } from '../report/section.ts'
import { renderMarkdown } from '../report/to-markdown.ts'
import type { Estimate } from '../statistics/index.ts'
import type { Regret, TopologyReport } from './topology-report.ts'

/** With fewer families than this, one more task may turn the result. */
const FEW_FAMILIES = 30

/** The report as GitHub Markdown. */
export const toTopologyMarkdown = (report: TopologyReport): string =>
  renderMarkdown(`${report.name}: the choice of a topology`, [
    { title: 'Result', blocks: [text(toResult(report)), regretTable(report), armTable(report)] },
    { title: 'Choices', blocks: [choiceTable(report)] },
    { title: 'Predictions', blocks: toPredictionBlocks(report) },
    { title: 'How far to trust this', blocks: [{ kind: 'list', items: toCaveats(report) }] },
  ] satisfies Section[])

const text = (sentence: string): Block => ({ kind: 'text', text: sentence })

function toResult({ tasks, families, runs, auto, best, fixed, regret }: TopologyReport): string {
  const sample = `${toNumberOf(tasks, 'task')} of ${toNumberOf(families, 'family', 'families')}, ${toNumberOf(runs, 'run')} of each arm.`
  const scored = `The automatic choice scored ${toPercent(auto.quality)}; the best fixed topology, ${best}, scored ${toPercent(fixed[0]?.quality ?? null)}.`
  return `${sample} ${scored} ${toVerdict(regret, best)}`
}

/** Each claim goes by the figure that is against it. */
function toVerdict({ sameTasks, otherHalf }: Regret, best: string): string {
  if (sameTasks.interval === null) return 'One family of tasks does not show which is better.'
  if (sameTasks.interval.high < 0) return 'The automatic choice is better.'
  if ((otherHalf?.interval?.low ?? 0) > 0) return 'Always taking the best fixed topology is better.'
  return `These tasks do not show whether the automatic choice is better or worse than always taking ${best}.`
}

function regretTable({ best, regret, regretAtEqualTokens, regretAgainstOracle }: TopologyReport): TableBlock {
  const cells = (estimate: Estimate | null | undefined): string[] =>
    estimate == null ? ['–', '–'] : [toPoints(estimate.value), toRange(estimate.interval)]
  return {
    kind: 'table',
    caption: 'Regret in points of quality: above 0 the automatic choice loses',
    head: ['against', 'regret', '95 % interval', 'rival chosen on the other half', '95 % interval'],
    rows: [
      [`the best fixed topology (${best})`, ...cells(regret.sameTasks), ...cells(regret.otherHalf)],
      [
        'fixed, at equal tokens or fewer',
        ...cells(regretAtEqualTokens?.sameTasks),
        ...cells(regretAtEqualTokens?.otherHalf),
      ],
      ['the best of each task, known afterwards', ...cells(regretAgainstOracle), '–', '–'],
    ],
  }
}

const armTable = ({ auto, fixed }: TopologyReport): TableBlock => ({
  kind: 'table',
  caption: 'Means of all tasks',
  head: ['topology', 'quality', 'tokens of a run'],
  rows: [
    ['automatic', toPercent(auto.quality), toCount(auto.tokens)],
    ...fixed.map(({ topology, quality, tokens }) => [topology, toPercent(quality), toCount(tokens)]),
  ],
})

const choiceTable = ({ choices, fixed, runs }: TopologyReport): TableBlock => ({
  kind: 'table',
  caption: 'What was chosen, and what each fixed topology scored on the same tasks',
  head: ['chosen', 'runs', 'scored', ...fixed.map(({ topology }) => `${topology} there`)],
  rows: choices.map((choice) => [
    choice.topology,
    `${toCount(choice.runs)} (${toPercent(choice.runs / runs)})`,
    toPercent(choice.quality),
    ...fixed.map(({ topology }) => toPercent(choice.fixed[topology] ?? null)),
  ]),
})

function toPredictionBlocks({ calibration, notCalibrated, scoreAndTokens }: TopologyReport): Block[] {
  const { bins, brier, ece } = calibration
  const left = notCalibrated === 0 ? '' : ` ${toNumberOf(notCalibrated, 'run')} could not be judged.`
  return [
    text(
      `Confidence should be the share of runs whose recommended topology was among the best of its task. Brier score ${toDigits(brier)} (0 is best), expected calibration error ${toDigits(ece)}.${left}`,
    ),
    {
      kind: 'table',
      caption: 'Reliability',
      head: ['confidence', 'runs', 'mean confidence', 'was among the best'],
      rows: bins
        .filter(({ count }) => count > 0)
        .map(({ from, to, count, confidence, accuracy }) => [
          `${toDigits(from)} to ${toDigits(to)}`,
          toCount(count),
          toPercent(confidence),
          toPercent(accuracy),
        ]),
    },
    text(
      `Predicted difficulty and the tokens that the run then took: rank correlation (Spearman) ${toDigits(scoreAndTokens)}.`,
    ),
  ]
}

function toCaveats({
  tasks,
  families,
  missing,
  equalTasks,
  regretAtEqualTokens,
  notCalibrated,
}: TopologyReport): string[] {
  return [
    'The best fixed topology is found in these runs, and so has luck on its side: regret is rather too large. "Chosen on the other half" is without that luck: one half of the families chooses the rival, the other judges it, over 100 random splits. A half chooses less well than all, so the truth lies between the two columns as a rule. The sentence at the top says "better" only by the column that is against it.',
    'The best of each task is the best of a few runs, and so is luckier still: the true regret against it is smaller, and a right prediction can be counted as wrong.',
    ...(regretAtEqualTokens === null
      ? ['No fixed topology takes as few tokens as the automatic choice, so none is compared at equal tokens.']
      : [
          'At equal tokens, the rival may be a lot between two topologies that together take as many tokens as the automatic choice.',
        ]),
    ...(equalTasks === 0
      ? []
      : [
          `In ${toCount(equalTasks)} of ${toNumberOf(tasks, 'task')} all fixed topologies scored the same: every choice counts as among the best there, which makes predictions look better than they are.`,
        ]),
    ...(families < FEW_FAMILIES
      ? [
          `${toNumberOf(families, 'family', 'families')} of tasks ${families === 1 ? 'is' : 'are'} few: more may turn the result.`,
        ]
      : []),
    ...(missing === 0
      ? []
      : [
          `${toNumberOf(missing, 'task')} ${missing === 1 ? 'is' : 'are'} left out: some arm has not done ${missing === 1 ? 'it' : 'them'} yet.`,
        ]),
    ...(notCalibrated === 0 ? [] : ['Runs cannot be judged whose recommended topology no arm fixes.']),
  ]
}
