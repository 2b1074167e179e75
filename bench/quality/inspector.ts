/** InspectorAgent: in which message a run broke, repetition and restart, false alarms, time per event. */
import { InspectorAgent, type RunEvent } from '@svc/core'
import { EventScript } from '../../core/test/fixtures/events.ts'
import { type Failure, measureAttribution } from './inspector/attribution.ts'
import { measureFalseAlarms, type ServiceRun } from './inspector/false-alarms.ts'
import { type LabelledLog, measureLoops } from './inspector/loops.ts'
import type { DataFolder } from './lib/data.ts'
import type { Row } from './lib/row.ts'

export default async function measure(data: DataFolder): Promise<Row[]> {
  return [
    ...measureAttribution(data.load<Failure[]>('who-and-when-dev.jsonl')),
    ...measureLoops(data.load<LabelledLog[]>('hyperagent-repeat-dev.jsonl')),
    ...measureFalseAlarms(data.load<ServiceRun[]>('tau2-usage-dev.jsonl')),
    measureTime(),
  ]
}

/** Time per event late in a long run over the same early: 1 when it is constant. */
function measureTime(): Row {
  const script = new EventScript()
  for (let turn = 0; turn < 10_000; turn++) {
    script.model(
      `Turn ${turn}: file ${turn % 97} holds ${turn * 7919} lines, so the next one to look at is ${turn + 1}.`,
      { toolCalls: 1 },
    )
    script.tool('read_file', { path: `f-${turn}` }, { result: `content ${turn}` })
  }
  const { events } = script
  const inspector = new InspectorAgent()
  const time = (from: number, to: number): number => {
    const started = performance.now()
    for (let at = from; at < to; at++) inspector.observe(events[at] as RunEvent)
    return performance.now() - started
  }
  const fifth = events.length / 5
  time(0, fifth)
  const early = time(fifth, 2 * fifth)
  const late = time(4 * fifth, events.length)
  return {
    component: 'inspector',
    measure: 'time per event, late over early',
    n: events.length,
    baseline: null,
    value: late / early,
    low: null,
    high: null,
    aim: 2,
    better: 'less',
    note: `${((1000 * late) / fifth).toFixed(1)} microseconds an event`,
  }
}
