/** InspectorAgent: who broke a run and when (Who&When), repetition and restart (MASFT), false alarms, time per event. */

import { InspectorAgent, type RunEvent, type StepSignals, type TraceMessage } from '@svc/core'
import { attributeFailure, toCandidates } from '@svc/core/components'
import { cleanRun } from '../../core/test/fixtures/clean-runs.ts'
import { EventScript } from '../../core/test/fixtures/events.ts'
import { bootstrap, mean } from './lib/bootstrap.ts'
import type { DataFolder } from './lib/data.ts'
import type { Row } from './lib/row.ts'
import { auroc } from './lib/scores.ts'

interface Failure {
  part: 'algorithm-generated' | 'hand-crafted'
  question: string
  mistakeAgent: string
  mistakeStep: number
  history: TraceMessage[]
}
interface LabelledLog {
  labels: Record<string, boolean>
  steps: { kind: string; agent: string | null; text: string; action?: string | null }[]
}
interface ServiceRun {
  reward: number
  steps: { role: string; tools?: { name: string; args: string }[]; error?: boolean; chars: number }[]
}

const PARTS = { 'algorithm-generated': 'built teams', 'hand-crafted': 'hand-built team' } as const
/** Runs whose lengths differ by no more than this factor are a pair. */
const MATCHED_LENGTH = 1.5
const CLEAN_RUNS = 400
const RESTARTS = ['near-repetition', 'conversation-restart']

export default async function measure(data: DataFolder): Promise<Row[]> {
  return [
    ...measureAttribution(data.load<Failure[]>('who-and-when-dev.jsonl')),
    ...measureLoops(data.load<LabelledLog[]>('hyperagent-repeat-dev.jsonl')),
    ...measureFalseAlarms(data.load<ServiceRun[]>('tau2-usage-dev.jsonl')),
    measureTime(),
  ]
}

function measureAttribution(failures: readonly Failure[]): Row[] {
  const rows: Row[] = []
  for (const part of ['algorithm-generated', 'hand-crafted'] as const) {
    const traces = failures.filter((trace) => trace.part === part)
    const found = traces.map((trace) => ({ trace, attribution: attributeFailure(trace) }))
    const row = (measure: string, hits: readonly number[], baseline: number | null, note?: string): Row => ({
      component: 'inspector',
      measure: `${PARTS[part]}: ${measure}`,
      n: traces.length,
      baseline,
      value: mean(hits),
      ...bootstrap(hits, mean),
      aim: baseline === null ? null : Math.floor(baseline * 1000 + 1) / 1000,
      ...(note === undefined ? {} : { note }),
    })
    const isBuilt = part === 'algorithm-generated'
    const agents = found.map(({ trace, attribution }) => hit(attribution.agents[0]?.agent === trace.mistakeAgent))
    const within = (distance: number) =>
      found.map(({ trace, attribution }) =>
        hit(Math.abs((attribution.steps[0]?.step ?? -1) - trace.mistakeStep) <= distance),
      )
    const base = {
      agent: mean(
        traces.map((trace) => hit((isBuilt ? speakerAtFirstError(trace) : lastSpeaker(trace)) === trace.mistakeAgent)),
      ),
      step: mean(traces.map((trace) => hit(trace.mistakeStep === (isBuilt ? 1 : trace.history.length - 1)))),
    }
    rows.push(
      row(
        'agent',
        agents,
        base.agent,
        `baseline: ${isBuilt ? 'speaker at the first error-like message' : 'last speaker'}`,
      ),
      row('step', within(0), base.step, `baseline: ${isBuilt ? 'always step 1' : 'last step'}`),
      row('step within 1', within(1), null),
      row('step within 3', within(3), null),
      row(
        'step, weights learnt',
        learntSteps(traces).map((step, index) => hit(step === traces[index]?.mistakeStep)),
        null,
        'the same signals with weights fitted (conditional logit, ridge), each run by the others; not what ships',
      ),
    )
  }
  return rows
}

const hit = (value: boolean): number => (value ? 1 : 0)
const isBystander = (agent: string): boolean => agent === 'human' || agent === 'Computer_terminal'

const lastSpeaker = ({ history }: Failure): string | undefined =>
  history.findLast(({ agent }) => !isBystander(agent))?.agent

function speakerAtFirstError({ history }: Failure): string | undefined {
  const at = history.findIndex(({ content }) => /\berror\b|traceback|exception/i.test(content))
  return history.slice(0, (at === -1 ? history.length : at) + 1).findLast(({ agent }) => !isBystander(agent))?.agent
}

const ROUNDS = 150
const RATE = 0.1
const RIDGE = 0.05

/** For each run the step that weights learnt on all others find. */
function learntSteps(traces: readonly Failure[]): (number | undefined)[] {
  const sets = traces.map(({ question, history, mistakeStep }) => {
    const candidates = toCandidates(question, history)
    return {
      steps: candidates.map(({ step }) => step),
      rows: candidates.map(({ signals }) => Object.values(signals satisfies StepSignals) as number[]),
      truth: candidates.findIndex(({ step }) => step === mistakeStep),
    }
  })
  const width = sets[0]?.rows[0]?.length ?? 0
  const scoreOf = (row: readonly number[], weights: readonly number[]): number =>
    row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)
  return sets.map((left) => {
    const training = sets.filter((set) => set !== left && set.truth >= 0)
    let weights: number[] = new Array(width).fill(0)
    for (let round = 0; round < ROUNDS; round++) {
      const slope: number[] = weights.map((weight) => -RIDGE * weight)
      for (const { rows, truth } of training) {
        const odds = rows.map((row) => Math.exp(scoreOf(row, weights)))
        const total = odds.reduce((sum, value) => sum + value, 0)
        rows.forEach((row, index) => {
          const push = (hit(index === truth) - (odds[index] ?? 0) / total) / training.length
          row.forEach((value, at) => {
            slope[at] = (slope[at] ?? 0) + push * value
          })
        })
      }
      weights = weights.map((weight, at) => weight + RATE * 10 * (slope[at] ?? 0))
    }
    const scores = left.rows.map((row) => scoreOf(row, weights))
    return left.steps[scores.indexOf(Math.max(...scores))]
  })
}

function measureLoops(logs: readonly LabelledLog[]): Row[] {
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
  const isRestart = ({ codes }: (typeof seen)[number]): number => hit(RESTARTS.some((code) => codes.has(code)))
  const restarted = seen.filter(({ log }) => log.labels['Trajectory restart'] === true)
  const clean = seen.filter(
    ({ log }) => log.labels['Trajectory restart'] !== true && log.labels['Step repetition'] !== true,
  )
  const caught = restarted.map(isRestart)
  rows.push({
    component: 'inspector',
    measure: `restart, recall of ${RESTARTS.join(' or ')}`,
    n: restarted.length,
    baseline: null,
    value: mean(caught),
    ...bootstrap(caught, mean),
    aim: null,
  })
  rows.push(alarmRow('coding runs without either label: the same', clean.map(isRestart), 0.01))
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

function measureFalseAlarms(runs: readonly ServiceRun[]): Row[] {
  const simulated = Array.from({ length: CLEAN_RUNS }, (_, seed) => {
    const inspector = new InspectorAgent()
    return hit(cleanRun(seed).events.some((event) => inspector.observe(event).length > 0))
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
      real.map((issues) => hit(issues.some(({ action }) => action === 'halt'))),
      0.01,
      'the file keeps no results, equal sizes stand for equal results: repetition is overstated',
    ),
    alarmRow(
      'successful tau2 runs: repetition seen',
      real.map((issues) => hit(issues.some(({ code }) => code === 'step-repetition'))),
      null,
    ),
  ]
}

const alarmRow = (measure: string, alarms: readonly number[], aim: number | null, note?: string): Row => ({
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
