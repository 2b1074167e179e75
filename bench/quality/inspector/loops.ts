/** Repetition and restart in labelled logs (MASFT), against the length of a run alone. */
import { InspectorAgent, type RunEvent } from '@svc/core'
import { EventScript } from '../../../core/test/fixtures/events.ts'
import { bootstrap, mean } from '../lib/bootstrap.ts'
import type { Row } from '../lib/row.ts'
import { auroc } from '../lib/scores.ts'
import { alarmRow } from './false-alarms.ts'

export interface LabelledLog {
  labels: Record<string, boolean>
  steps: { kind: string; agent: string | null; text: string; action?: string | null }[]
}
/** Runs whose lengths differ by no more than this factor are a pair. */
const MATCHED_LENGTH = 1.5

export function measureLoops(logs: readonly LabelledLog[]): Row[] {
  const seen = logs.map((log) => {
    const inspector = new InspectorAgent()
    const codes = new Set(toEvents(log).flatMap((event) => inspector.observe(event).map(({ code }) => code)))
    const { signals } = inspector.report('run_log')
    return { log, length: log.steps.length, share: signals.nearRepeatShare ?? 0, codes }
  })
  const rows: Row[] = []
  for (const [label, name] of [
    ['Step repetition', 'repetition'],
    ['Trajectory restart', 'restart'],
  ] as const) {
    const pairs = seen.flatMap((bad) =>
      bad.log.labels[label] !== true
        ? []
        : seen
            .filter((good) => good.log.labels[label] !== true)
            .filter((good) => Math.max(bad.length, good.length) <= MATCHED_LENGTH * Math.min(bad.length, good.length))
            .map((good) => ({ length: order(bad.length, good.length), share: order(bad.share, good.share) })),
    )
    const labels = seen.map(({ log }) => log.labels[label] === true)
    rows.push({
      component: 'inspector',
      measure: `${name}, pairs of like length`,
      n: pairs.length,
      baseline: mean(pairs.map(({ length }) => length)),
      value: mean(pairs.map(({ share }) => share)),
      ...bootstrap(pairs, (sample) => mean(sample.map(({ share }) => share))),
      aim: name === 'restart' ? Math.min(1, mean(pairs.map(({ length }) => length)) + 0.001) : null,
      note: `share of near-repeated messages against length alone; lengths within a factor of ${MATCHED_LENGTH}`,
    })
    rows.push({
      component: 'inspector',
      measure: `${name}, AUROC over all`,
      n: seen.length,
      baseline: auroc(
        seen.map(({ length }) => length),
        labels,
      ),
      value: auroc(
        seen.map(({ share }) => share),
        labels,
      ),
      low: null,
      high: null,
      aim: null,
    })
  }
  const isNear = ({ codes }: (typeof seen)[number]): number => Number(codes.has('near-repetition'))
  const restarted = seen.filter(({ log }) => log.labels['Trajectory restart'] === true)
  const clean = seen.filter(
    ({ log }) => log.labels['Trajectory restart'] !== true && log.labels['Step repetition'] !== true,
  )
  const caught = restarted.map(isNear)
  rows.push({
    component: 'inspector',
    measure: 'restart, recall of near-repetition',
    n: restarted.length,
    baseline: null,
    value: mean(caught),
    ...bootstrap(caught, mean),
    aim: null,
  })
  rows.push(alarmRow('coding runs without either label: the same', clean.map(isNear), 0.01))
  return rows
}

const order = (a: number, b: number): number => (a > b ? 1 : a === b ? 0.5 : 0)

/** A log as events: what an agent said, and the call it made, whose result is not in the file. */
function toEvents({ steps }: LabelledLog): RunEvent[] {
  const script = new EventScript('run_log')
  script.add('stage.started', {}, { stage: 'execute' })
  for (const { kind, agent, text, action } of steps) {
    if (kind !== 'response') continue
    const agentId = agent ?? 'agent'
    const hasAction = action !== undefined && action !== null && action !== ''
    script.model(text, { agentId, toolCalls: hasAction ? 1 : 0 })
    if (hasAction) script.tool('code', { action }, {}, { agentId })
  }
  return script.events
}
