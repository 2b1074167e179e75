import { TOPOLOGIES, type Topology, ValidationError } from '@svc/core'
import { BASE, type Cell, type ExperimentDesign } from '../record.ts'
import { type Estimate, estimate, toClusters } from '../statistics/index.ts'
import { type Calibration, calibrate, mean, spearman } from './calibration.ts'

/** What the automatic choice of a topology is worth, by the cells of an experiment whose other arms fix it. */
export interface TopologyReport {
  name: string
  /** Tasks that have a cell in every arm: the report is about these. */
  tasks: number
  /** By topology; quality is the mean over tasks, tokens are input and output together. */
  fixed: { topology: Topology; quality: number; tokens: number }[]
  auto: { quality: number; tokens: number }
  /** The fixed topology of the best mean quality; of equal ones the cheaper. */
  best: Topology
  /** Quality of the best fixed topology less that of the automatic choice; below 0 the choice pays off. */
  regret: Estimate
  /**
   * The same against the fixed topology, or mix of two, of the best quality for the mean tokens of the automatic choice;
   * null where no mix costs as much or as little.
   */
  regretAtEqualTokens: Estimate | null
  /** Mean over tasks of the best topology for each, known afterwards, less the automatic choice. */
  regretAgainstOracle: Estimate
  /** How often each topology was chosen, its quality there, and what the fixed arms scored on the same tasks. */
  choices: { topology: Topology; cells: number; quality: number; fixed: Partial<Record<Topology, number>> }[]
  /** Confidence against "the recommended topology was among the best of its task". */
  calibration: Calibration
  /** Predicted difficulty against the tokens that the automatic arm spent. */
  scoreAndTokens: number | null
}

interface Figures {
  quality: number
  tokens: number
}

interface TaskFigures {
  task: string
  family: string
  auto: Figures
  fixed: Map<Topology, Figures>
}

/** Qualities as near as this are equal. */
const EQUAL = 1e-9

/**
 * Compares the base, which chooses a topology itself, with the arms that are named after one.
 *
 * The best fixed topology is found in the same cells, which flatters it: regret is rather over- than understated.
 *
 * @throws ValidationError for a design without arms of fixed topologies, and cells of no task in every arm
 */
export function toTopologyReport(design: ExperimentDesign, cells: readonly Cell[]): TopologyReport {
  const arms = TOPOLOGIES.filter((topology) => design.arms.some(({ id }) => id.toUpperCase() === topology))
  if (arms.length === 0) {
    const names = TOPOLOGIES.map((topology) => topology.toLowerCase()).join(', ')
    throw invalid(design, `has no arm that fixes the topology: name arms after it (${names})`)
  }
  if (cells.length === 0) throw invalid(design, 'has no cells yet: run it first')
  const tasks = toTasks(design, cells, arms)
  if (tasks.length === 0) throw invalid(design, `has no task with a cell in every arm: ${BASE} and each topology`)
  const over = (figure: (task: TaskFigures) => number): number => mean(tasks.map(figure)) ?? 0
  const fixed = arms.map((topology) => ({
    topology,
    quality: over((task) => of(task, topology).quality),
    tokens: over((task) => of(task, topology).tokens),
  }))
  const auto = { quality: over((task) => task.auto.quality), tokens: over((task) => task.auto.tokens) }
  const [best] = [...fixed].sort((a, b) => b.quality - a.quality || a.tokens - b.tokens) as [(typeof fixed)[0]]
  const regretOf = (other: (task: TaskFigures) => number): Estimate =>
    estimate(
      toClusters(tasks.map((task) => ({ family: task.family, above: other(task) - task.auto.quality, below: 1 }))),
      { of: 'difference' },
    )
  const mix = mixFor(fixed, auto.tokens)
  const known = new Map(tasks.map((task) => [task.task, task]))
  const own = cells.filter(({ arm, task }) => arm === BASE && known.has(task))
  return {
    name: design.name,
    tasks: tasks.length,
    fixed,
    auto,
    best: best.topology,
    regret: regretOf((task) => of(task, best.topology).quality),
    regretAtEqualTokens:
      mix === undefined
        ? null
        : regretOf((task) => mix.reduce((sum, { topology, part }) => sum + part * of(task, topology).quality, 0)),
    regretAgainstOracle: regretOf(bestQuality),
    choices: toChoices(own, known, arms),
    calibration: calibrate(
      own.flatMap(({ task, analysis }) => {
        const figures = known.get(task)
        const chosen = analysis && figures?.fixed.get(analysis.recommendedTopology)
        if (analysis === undefined || figures === undefined || chosen === undefined) return []
        return [{ confidence: analysis.confidence, isRight: chosen.quality >= bestQuality(figures) - EQUAL }]
      }),
    ),
    scoreAndTokens: spearman(own.flatMap((cell) => (cell.analysis ? [[cell.analysis.score, tokensOf(cell)]] : []))),
  }
}

function toTasks(design: ExperimentDesign, cells: readonly Cell[], arms: readonly Topology[]): TaskFigures[] {
  return design.tasks.flatMap(({ id, family }) => {
    const own = cells.filter(({ task }) => task === id)
    const auto = figuresOf(own.filter(({ arm }) => arm === BASE))
    const fixed = new Map<Topology, Figures>()
    for (const topology of arms) {
      const figures = figuresOf(own.filter(({ arm }) => arm.toUpperCase() === topology))
      if (figures !== undefined) fixed.set(topology, figures)
    }
    return auto === undefined || fixed.size < arms.length ? [] : [{ task: id, family, auto, fixed }]
  })
}

function figuresOf(cells: readonly Cell[]): Figures | undefined {
  const quality = mean(cells.map(({ score }) => score))
  return quality === null ? undefined : { quality, tokens: mean(cells.map(tokensOf)) ?? 0 }
}

function toChoices(
  own: readonly Cell[],
  known: ReadonlyMap<string, TaskFigures>,
  arms: readonly Topology[],
): TopologyReport['choices'] {
  return TOPOLOGIES.flatMap((topology) => {
    const chosen = own.filter((cell) => cell.topology === topology)
    const quality = mean(chosen.map(({ score }) => score))
    if (quality === null) return []
    const there = (arm: Topology): number => mean(chosen.map(({ task }) => qualityOf(known.get(task), arm))) ?? 0
    const fixed = Object.fromEntries(arms.map((arm) => [arm, there(arm)]))
    return [{ topology, cells: chosen.length, quality, fixed }]
  })
}

/** The mix of at most two topologies that costs so many tokens and has the best quality. */
function mixFor(fixed: TopologyReport['fixed'], tokens: number): { topology: Topology; part: number }[] | undefined {
  let best: { quality: number; mix: { topology: Topology; part: number }[] } | undefined
  for (const low of fixed) {
    for (const high of fixed) {
      if (low.tokens > tokens || high.tokens < tokens) continue
      const part = high.tokens === low.tokens ? 1 : (high.tokens - tokens) / (high.tokens - low.tokens)
      const quality = part * low.quality + (1 - part) * high.quality
      if (best !== undefined && quality <= best.quality) continue
      best = {
        quality,
        mix: [
          { topology: low.topology, part },
          { topology: high.topology, part: 1 - part },
        ],
      }
    }
  }
  return best?.mix
}

const bestQuality = ({ fixed }: TaskFigures): number => Math.max(...[...fixed.values()].map(({ quality }) => quality))

const of = ({ fixed }: TaskFigures, topology: Topology): Figures => fixed.get(topology) ?? { quality: 0, tokens: 0 }

const qualityOf = (task: TaskFigures | undefined, topology: Topology): number =>
  task === undefined ? 0 : of(task, topology).quality

const tokensOf = ({ inputTokens, outputTokens }: Cell): number => inputTokens + outputTokens

const invalid = ({ name }: ExperimentDesign, why: string): ValidationError =>
  new ValidationError('validation_failed', `experiment ${name} ${why}`)
