/** Issues in runs that went well: simulated ones, and successful ones of tau2-bench. */
import { InspectorAgent } from '@svc/core'
import { cleanRun } from '../../../core/test/fixtures/clean-runs.ts'
import { EventScript } from '../../../core/test/fixtures/events.ts'
import { bootstrap, mean } from '../lib/bootstrap.ts'
import type { Row } from '../lib/row.ts'

export interface ServiceRun {
  reward: number
  steps: { role: string; tools?: { name: string; args: string }[]; error?: boolean; chars: number }[]
}

const CLEAN_RUNS = 400

export function measureFalseAlarms(runs: readonly ServiceRun[]): Row[] {
  const simulated = Array.from({ length: CLEAN_RUNS }, (_, seed) => {
    const inspector = new InspectorAgent()
    return Number(cleanRun(seed).events.some((event) => inspector.observe(event).length > 0))
  })
  const good = runs.filter(({ reward }) => reward > 0.5)
  const real = good.map(({ steps }) => {
    const script = new EventScript()
    let asked: { name: string; args: string }[] = []
    for (const { role, tools, error, chars } of steps) {
      if (role !== 'tool') {
        asked = [...(tools ?? [])]
        if (role === 'agent') script.model('', { toolCalls: asked.length })
        continue
      }
      const call = asked.shift()
      if (call === undefined) continue
      const end = error === true ? { error: `error of ${chars} characters` } : { result: `${call.args} ${chars}` }
      script.tool(call.name, { hash: call.args }, end)
    }
    const inspector = new InspectorAgent()
    return script.events.flatMap((event) => inspector.observe(event))
  })
  return [
    alarmRow('simulated clean runs: any issue', simulated, 0.01),
    alarmRow(
      'successful tau2 runs: would be halted',
      real.map((issues) => Number(issues.some(({ action }) => action === 'halt'))),
      0.01,
      'the file keeps no results: calls with equal arguments and result sizes count as equal, so repetition is overstated',
    ),
    alarmRow(
      'successful tau2 runs: repetition seen',
      real.map((issues) => Number(issues.some(({ code }) => code === 'step-repetition'))),
      null,
    ),
  ]
}

export const alarmRow = (measure: string, alarms: readonly number[], aim: number | null, note?: string): Row => ({
  component: 'inspector',
  measure: `false alarms, ${measure}`,
  n: alarms.length,
  baseline: null,
  value: mean(alarms),
  ...bootstrap(alarms, mean),
  aim,
  better: 'less',
  ...(note === undefined ? {} : { note }),
})
