/** ReflectionEngine: good answers that are doubted, and the same answers with a defect each that are caught. Needs no data. */
import { ReflectionEngine } from '@svc/core'
import { bootstrap, mean } from './lib/bootstrap.ts'
import type { Row } from './lib/row.ts'
import { DEFECTS, goodAnswers, withDefect } from './reflection/answers.ts'

/** More than the tests look at: two of three samples are new to the checks that were tuned by them. */
const PER_TOPIC = 45

export default async function measure(): Promise<Row[]> {
  const component = 'reflection'
  const engine = new ReflectionEngine()
  const samples = goodAnswers(PER_TOPIC)
  const isFlagged = async ({ task, output, events, outputSchema }: (typeof samples)[number]): Promise<number> => {
    const { verdict, checks } = await engine.evaluate({ task, output, events, attempt: 1, outputSchema })
    return verdict !== 'pass' || checks.some(({ result }) => result === 'fail') ? 1 : 0
  }
  const alarms = await Promise.all(samples.map(isFlagged))
  const rows: Row[] = [
    {
      component: 'reflection',
      measure: 'false alarms on good answers',
      n: samples.length,
      baseline: null,
      value: mean(alarms),
      ...bootstrap(alarms, mean),
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
    const figures = { value: mean(seen), ...bootstrap(seen, mean) }
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
