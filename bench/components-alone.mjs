/**
 * Processor time of inspector and allocator alone, per run: the watcher of one healthy run (39 events, two model calls, one
 * tool call) with its report, and one allocation. Warm: 5,000 runs before anything is measured, then the fastest tenth of
 * the batches, because the machine is shared. Making the events is measured too, in turn, and subtracted.
 *
 * Reads the recorded log `fixtures/healthy-run.json`. No model, no network.
 */
import { readFileSync } from 'node:fs'
import { cpuOf, toRow } from './measure.mjs'

const WARM_UP = 5_000
const BATCH = 500
const BATCHES = 40

const log = JSON.parse(readFileSync(new URL('fixtures/healthy-run.json', import.meta.url), 'utf8'))
let runs = 0

export async function measure(core) {
  const { InspectorAgent, TokenBudgetAllocator } = core ?? (await import('@svc/core'))
  const inspector = new InspectorAgent()
  const allocator = new TokenBudgetAllocator()
  const watchOne = (events, runId) => {
    const watcher = inspector.watch?.(runId) ?? inspector
    for (const event of events) watcher.observe(event)
    if (inspector.report(runId).grade !== 'healthy') throw new Error('the recorded run is not healthy')
  }
  return [
    await rowOf(
      'inspector alone, one healthy run',
      () => eventsOf(watchOne),
      () => eventsOf(ignore),
    ),
    await rowOf('allocator alone, one agent', () => allocator.allocate('SINGLE', 0.18, 1), ignore),
    await rowOf('allocator alone, four agents', () => allocator.allocate('HYBRID', 0.5, 4), ignore),
  ]
}

function ignore() {}

/** Makes the recorded events anew, under a run id of their own, and hands them on one after the other as a run does. */
function eventsOf(work) {
  const runId = `run_${runs++}`
  const events = log.map(({ v, seq, type, time, stage, stepId, agentId, callId, data }) => {
    const event = { v, seq, type, time, runId }
    if (stage !== undefined) event.stage = stage
    if (stepId !== undefined) event.stepId = stepId
    if (agentId !== undefined) event.agentId = agentId
    if (callId !== undefined) event.callId = callId
    event.data = data
    return event
  })
  work(events, runId)
}

async function rowOf(name, work, without) {
  const repeat = (what, times) =>
    cpuOf(() => {
      for (let time = 0; time < times; time++) what()
    })
  await repeat(work, WARM_UP)
  await repeat(without, WARM_UP)
  const costs = []
  for (let batch = 0; batch < BATCHES; batch++) {
    costs.push(((await repeat(work, BATCH)) - (await repeat(without, BATCH))) / BATCH)
  }
  costs.sort((a, b) => a - b)
  return toRow({ name, value: costs[Math.floor(BATCHES / 10)], unit: 'µs CPU/run' })
}
