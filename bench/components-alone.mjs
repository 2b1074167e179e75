/**
 * Processor time of components alone, per run: the watcher of one healthy run (39 events, two model calls, one tool call) with
 * its report, one allocation, the analysis and the deterministic plan of a request that one agent answers. In a runtime the
 * run keeps the view anyway, so the first row is what the inspector adds.
 *
 * Warm: 5,000 runs before anything is measured, then the fastest tenth of the batches, because the machine is shared. What
 * it takes to make the events is measured too, in turn, and subtracted.
 *
 * Reads the recorded log `fixtures/healthy-run.jsonl`. No model, no network.
 */
import { readFileSync } from 'node:fs'
import { cpuOf, toRow } from './measure.mjs'

const WARM_UP = 5_000
const BATCH = 500
const BATCHES = 40

const log = readFileSync(new URL('fixtures/healthy-run.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
const REQUESTS = {
  'one clause': 'Summarise README.md',
  'two clauses': 'Look up the key k17 with the lookup tool and answer with its value.',
}
let runs = 0

/** @param {typeof import('@svc/core')} [core] another build, to compare two in turn */
export async function measure(core) {
  const { AdaptiveOrchestrator, InspectorAgent, RunView, TaskComplexityAnalyzer, TokenBudgetAllocator } =
    core ?? (await import('@svc/core'))
  const analyzer = new TaskComplexityAnalyzer()
  const orchestrator = new AdaptiveOrchestrator()
  const inspector = new InspectorAgent()
  const allocator = new TokenBudgetAllocator()
  const keepView = (events) => {
    const view = new RunView()
    for (const event of events) view.apply(event)
  }
  const watchWithView = (events, runId) => {
    const view = new RunView()
    const watcher = inspector.watch(runId, view)
    for (const event of events) {
      view.apply(event)
      watcher.observe(event)
    }
    check(inspector.report(runId))
  }
  const watchAlone = (events, runId) => {
    const watcher = inspector.watch(runId)
    for (const event of events) watcher.observe(event)
    check(inspector.report(runId))
  }
  const planning = []
  for (const [name, description] of Object.entries(REQUESTS)) {
    const task = { id: 'task-1', description }
    const complexity = analyzer.analyze(task)
    const allocation = allocator.allocate(complexity.recommendedTopology, complexity.score, complexity.agents)
    planning.push(
      await rowOf(`analyze, ${name}`, () => analyzer.analyze(task), ignore),
      await rowOf(`plan, ${name}`, () => orchestrator.planAsync(task, complexity, allocation), ignore),
    )
  }
  return [
    await rowOf(
      "inspector on the run's own view, one healthy run",
      () => eventsOf(watchWithView),
      () => eventsOf(keepView),
    ),
    await rowOf(
      'inspector with a view of its own, one healthy run',
      () => eventsOf(watchAlone),
      () => eventsOf(ignore),
    ),
    await rowOf('allocator, one agent', () => allocator.allocate('SINGLE', 0.18, 1), ignore),
    await rowOf('allocator, four agents', () => allocator.allocate('HYBRID', 0.5, 4), ignore),
    ...planning,
  ]
}

function check({ grade }) {
  if (grade !== 'healthy') throw new Error(`the recorded run is ${grade}, not healthy`)
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
    cpuOf(async () => {
      for (let time = 0; time < times; time++) await what()
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
