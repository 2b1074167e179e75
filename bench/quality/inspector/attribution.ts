/** In which message a run broke (Who&When): attribution against simple rules. */
import { attributeFailure, STEP_WEIGHTS } from '../../../plugins/src/attribution/attribute-failure.ts'
import type { TraceMessage } from '../../../plugins/src/attribution/trace.ts'
import { type StepSignals, toCandidates } from '../../../plugins/src/attribution/trace-signals.ts'
import { ATTRIBUTION_RULES } from '../lib/attribution-rules.ts'
import { bootstrap, mean } from '../lib/bootstrap.ts'
import type { Row } from '../lib/row.ts'

export interface Failure {
  part: 'algorithm-generated' | 'hand-crafted'
  question: string
  mistakeStep: number
  history: TraceMessage[]
}
const PARTS = { 'algorithm-generated': 'built teams', 'hand-crafted': 'hand-built team' } as const
export function measureAttribution(failures: readonly Failure[]): Row[] {
  const learnt = learntSteps(failures)
  const weights = learnWeights(failures.map(toStepSet))
  const learntNow = SIGNALS.map((name, at) => `${name} ${(weights[at] ?? 0).toFixed(2)}`).join(', ')
  return (['algorithm-generated', 'hand-crafted'] as const).flatMap((part) => {
    const traces = failures.filter((trace) => trace.part === part)
    const found = traces.map((trace) => attributeFailure(trace))
    const row = (
      measure: string,
      isHit: (trace: Failure, index: number) => boolean,
      byRule: (rule: (typeof ATTRIBUTION_RULES)[number], trace: Failure) => boolean,
      note = '',
    ): Row => {
      const hits = traces.map((trace, index) => Number(isHit(trace, index)))
      const rules = ATTRIBUTION_RULES.map((rule) => ({
        name: rule.name,
        share: mean(traces.map((trace) => Number(byRule(rule, trace)))),
      })).sort((one, other) => other.share - one.share)
      const best = rules[0]?.share ?? 0
      return {
        component: 'inspector',
        measure: `${PARTS[part]}: ${measure}`,
        n: traces.length,
        baseline: best,
        value: mean(hits),
        ...bootstrap(hits, mean),
        // Better than the best of the simple rules by one trace at least.
        aim: best + 1 / traces.length,
        note: `baseline: the best of ${rules.map(({ name, share }) => `${name} ${share.toFixed(3)}`).join(', ')}${note}`,
      }
    }
    const within = (distance: number) =>
      [
        (trace: Failure, index: number) =>
          Math.abs((found[index]?.steps[0]?.step ?? -1_000) - trace.mistakeStep) <= distance,
        (rule: (typeof ATTRIBUTION_RULES)[number], trace: Failure) =>
          Math.abs(rule.step(trace.history) - trace.mistakeStep) <= distance,
      ] as const
    const exact = within(0)
    return [
      row('step, weights that ship', ...exact, '; seen when the weights were learnt'),
      row('step within 1', ...within(1)),
      row('step within 3', ...within(3)),
      row(
        'step, leave one out',
        (trace) => learnt.get(trace) === trace.mistakeStep,
        exact[1],
        `; each run by weights learnt on all others; learnt on all: ${learntNow}`,
      ),
    ]
  })
}

const ROUNDS = 150
const RIDGE = 0.05

interface StepSet {
  steps: number[]
  rows: number[][]
  /** Place of the mistake among the candidates; -1 when it is none. */
  truth: number
}

const toStepSet = ({ question, history, mistakeStep }: Failure): StepSet => {
  const candidates = toCandidates(question, history)
  return {
    steps: candidates.map(({ step }) => step),
    rows: candidates.map(({ signals }) => SIGNALS.map((name) => signals[name])),
    truth: candidates.findIndex(({ step }) => step === mistakeStep),
  }
}

const SIGNALS = Object.keys(STEP_WEIGHTS) as (keyof StepSignals)[]

const scoreOf = (row: readonly number[], weights: readonly number[]): number =>
  row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)

/** Conditional logit with a ridge, by gradient ascent: which step of each run is the mistake. */
function learnWeights(sets: readonly StepSet[]): number[] {
  const training = sets.filter(({ truth }) => truth >= 0)
  let weights = SIGNALS.map(() => 0)
  for (let round = 0; round < ROUNDS; round++) {
    const slope = weights.map((weight) => -RIDGE * weight)
    for (const { rows, truth } of training) {
      const odds = rows.map((row) => Math.exp(scoreOf(row, weights)))
      const total = odds.reduce((sum, value) => sum + value, 0)
      for (const [index, row] of rows.entries()) {
        const push = (Number(index === truth) - (odds[index] ?? 0) / total) / training.length
        for (const [at, value] of row.entries()) slope[at] = (slope[at] ?? 0) + push * value
      }
    }
    weights = weights.map((weight, at) => weight + (slope[at] ?? 0))
  }
  return weights
}

/** For each run the step that weights learnt on all others find. */
function learntSteps(traces: readonly Failure[]): Map<Failure, number | undefined> {
  const sets = traces.map(toStepSet)
  return new Map(
    sets.map((left, index) => {
      const weights = learnWeights(sets.filter((set) => set !== left))
      const scores = left.rows.map((row) => scoreOf(row, weights))
      return [traces[index] as Failure, left.steps[scores.indexOf(Math.max(...scores))]]
    }),
  )
}
