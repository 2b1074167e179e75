/**
 * Measures what memory costs a run, in single runs (one agent, one tool) over HTTP through the SDK with all default plugins:
 *
 * - the share of session memory in a run, once it is full: batches with it and without it in turn (A B A B), processor time,
 *   median and quartiles of the pairs. Aim: at most .1
 * - what the runs after a full collection cost over those before: V8 may then throw away compiled code. Aim: at most 1.3
 * - the heap after a thousand runs that have ended, beside that after the first forty, both after full collections
 *
 * Settings, as environment variables:
 *   MEMORY_RUNS    runs before the clock starts; default 10000
 *   MEMORY_ROUNDS  pairs of batches; default 15
 */
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cpuOf, median, quartiles, toRow } from './measure.mjs'
import { startMockServer } from './mock-server.mjs'
import { MODEL, tasks } from './overhead-tasks.mjs'
import { create } from './peer-runner.mjs'

const BATCH = 40
const ENDED = 1_000
/** Runs that are measured before and after a full collection. */
const AROUND = 300
const MEGABYTE = 1e6

v8.setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

export async function measure() {
  const runs = Number(process.env.MEMORY_RUNS ?? 10_000)
  const rounds = Number(process.env.MEMORY_ROUNDS ?? 15)
  const server = await startMockServer()
  const start = (persistSessions) =>
    create({ baseURL: server.baseURL, apiKey: 'none', model: MODEL, tasks, settings: { persistSessions } })
  const [remembering, forgetting] = [await start(true), await start(false)]
  try {
    const heap = await heapAfterEndedRuns(remembering)
    for (let id = ENDED; id < runs; id++) for (const runner of [remembering, forgetting]) await runner.single(id)
    return [
      await shareOfMemory(remembering, forgetting, runs, rounds),
      await costAfterCollection(remembering, runs + rounds * BATCH),
      heap,
    ]
  } finally {
    await remembering.close()
    await forgetting.close()
    server.stop()
  }
}

async function shareOfMemory(remembering, forgetting, from, rounds) {
  const [costs, shares] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const first = from + round * BATCH
    const [own, without] = [await costOf(remembering, first, BATCH), await costOf(forgetting, first, BATCH)]
    costs.push(own)
    shares.push(1 - without / own)
  }
  return toRow({
    ...{ name: `single, share of session memory at run ${from}`, value: median(costs), unit: 'µs CPU/run' },
    ...{ ratio: median(shares), spread: quartiles(shares), aim: 0.1, of: 'ratio' },
  })
}

async function costAfterCollection(runner, from) {
  const before = await costOf(runner, from, AROUND)
  collect()
  const value = await costOf(runner, from + AROUND, AROUND)
  const name = `single, ${AROUND} runs after a full collection`
  return toRow({ name, value, unit: 'µs CPU/run', peer: before, aim: 1.3, of: 'ratio' })
}

async function heapAfterEndedRuns(runner) {
  for (let id = 0; id < BATCH; id++) await runner.single(id)
  const young = heapSize()
  for (let id = BATCH; id < ENDED; id++) await runner.single(id)
  return toRow({ name: `heap after ${ENDED} ended runs`, value: heapSize(), unit: 'MB', peer: young })
}

function heapSize() {
  collect()
  return process.memoryUsage().heapUsed / MEGABYTE
}

/** Microseconds of the processor a run. */
async function costOf(runner, from, runs) {
  const cost = await cpuOf(async () => {
    for (let id = from; id < from + runs; id++) await runner.single(id)
  })
  return cost / runs
}
