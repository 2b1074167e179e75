/** ReflectionEngine: success from the course of a run (tau2-bench), and defects put into good answers. */
import { ReflectionEngine } from '@svc/core'
import { bootstrap, groupBy } from './lib/bootstrap.ts'
import type { DataFolder } from './lib/data.ts'
import { crossPredict, toFolds } from './lib/folds.ts'
import { fitLogistic, predictLinear } from './lib/regression.ts'
import type { Row } from './lib/row.ts'
import { kindOfCall, type RunSignals, type SignalCall, toRunSignals } from './lib/run-signals.ts'
import { auroc } from './lib/scores.ts'
import { DEFECTS, goodAnswers, withDefect } from './reflection/answers.ts'

interface Step {
  role: 'agent' | 'user' | 'tool'
  tools?: { name: string; args: string }[]
  error?: boolean
  chars: number
}
interface Run {
  domain: string
  task: string
  reward: number
  steps: Step[]
}

const FOLDS = 10
const REPEATS = 5
const RIDGE = 3
/** More than the tests look at: two of three samples are new to the checks that were tuned by them. */
const PER_TOPIC = 45

export default async function measure(data: DataFolder): Promise<Row[]> {
  return [...measureCourse(data.load<Run[]>('tau2-usage-dev.jsonl')), ...(await measureDefects())]
}

/** The file keeps no results, only their sizes: equal sizes stand for equal results here. */
function toCalls(steps: readonly Step[]): SignalCall[] {
  const calls: SignalCall[] = []
  let asked: { name: string; args: string }[] = []
  for (const { role, tools, error, chars } of steps) {
    if (role !== 'tool') asked = [...(tools ?? [])]
    else {
      const call = asked.shift()
      if (call === undefined) continue
      const { name, args } = call
      calls.push({ tool: name, args, result: `${error} ${chars}`, failed: error === true, kind: kindOfCall(name) })
    }
  }
  return calls
}

function measureCourse(runs: readonly Run[]): Row[] {
  const labels = runs.map(({ reward }) => reward > 0.5)
  const signals = runs.map(({ steps }) => toRunSignals(toCalls(steps), steps.length))
  const domains = [...new Set(runs.map(({ domain }) => domain))].slice(1)
  const base = (index: number): number[] => {
    const { length, calls, errors, distinct, handover } = signals[index] as RunSignals
    return [length, calls, errors, distinct, handover, ...domains.map((name) => (runs[index]?.domain === name ? 1 : 0))]
  }
  const tasks = runs.map(({ task }) => task)
  const score = (features: readonly number[][]): number[] => {
    const indices = runs.map((_, index) => index)
    const sums = runs.map(() => 0)
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const predicted = crossPredict(
        indices,
        toFolds(tasks, FOLDS, repeat + 1),
        (training) =>
          fitLogistic(
            training.map((index) => features[index] ?? []),
            training.map((index) => labels[index] === true),
            { ridge: RIDGE },
          ),
        (model, index) => predictLinear(model, features[index] ?? []),
      )
      predicted.forEach((value, index) => {
        sums[index] = (sums[index] ?? 0) + value / REPEATS
      })
    }
    return sums
  }
  const before = score(runs.map((_, index) => base(index)))
  const withLook = score(runs.map((_, index) => [...base(index), signals[index]?.lastLook ?? 0]))
  const general = score(signals.map((each) => Object.values(each)))
  const row = (measure: string, scores: readonly number[], aim: number | null, note?: string): Row => {
    const records = runs.map(({ task }, index) => ({ task, score: scores[index] ?? 0, label: labels[index] === true }))
    const figure = (sample: typeof records): number =>
      auroc(
        sample.map((record) => record.score),
        sample.map(({ label }) => label),
      )
    const interval = bootstrap(
      groupBy(records, ({ task }) => task),
      (sample) => figure(sample.flat()),
    )
    const value = figure(records)
    return {
      component: 'reflection',
      measure,
      n: runs.length,
      baseline: figure(records.map((record, index) => ({ ...record, score: before[index] ?? 0 }))),
      value,
      ...interval,
      aim,
      ...(note === undefined ? {} : { note }),
    }
  }
  return [
    row(
      'tau2 success AUROC, signals and domain',
      withLook,
      0.75,
      `mean score of ${REPEATS} times ${FOLDS} folds over tasks; the baseline is the same logistic without the last repeated look`,
    ),
    row('tau2 success AUROC, signals alone', general, null),
  ]
}

async function measureDefects(): Promise<Row[]> {
  const component = 'reflection'
  const engine = new ReflectionEngine()
  const samples = goodAnswers(PER_TOPIC)
  const isFlagged = async ({ task, output, events, outputSchema }: (typeof samples)[number]): Promise<number> => {
    const { verdict, checks } = await engine.evaluate({ task, output, events, attempt: 1, outputSchema })
    return verdict !== 'pass' || checks.some(({ result }) => result === 'fail') ? 1 : 0
  }
  const share = (flags: readonly number[]): number => flags.reduce((sum, flag) => sum + flag, 0) / flags.length
  const alarms = await Promise.all(samples.map(isFlagged))
  const rows: Row[] = [
    {
      component: 'reflection',
      measure: 'false alarms on good answers',
      n: samples.length,
      baseline: null,
      value: share(alarms),
      ...bootstrap(alarms, share),
      aim: 0.05,
      better: 'less',
    },
  ]
  const recall = async (measure: string, broken: typeof samples): Promise<Row> => {
    const seen: number[] = []
    for (const { task, output, events, outputSchema } of broken) {
      const { verdict } = await engine.evaluate({ task, output, events, attempt: 1, outputSchema })
      seen.push(verdict === 'pass' ? 0 : 1)
    }
    const figures = { value: share(seen), ...bootstrap(seen, share) }
    return { component, measure, n: seen.length, baseline: null, ...figures, aim: 0.9 }
  }
  for (const defect of DEFECTS) {
    const broken = samples.flatMap((sample, index) => {
      const made = withDefect(sample, defect, index)
      return made === undefined || made.output === sample.output ? [] : [made]
    })
    rows.push(await recall(`recall of: ${defect}`, broken))
  }
  return rows
}
