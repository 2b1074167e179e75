/**
 * Measures what a step costs in plans of 10, 100, 300 and 1,000 steps: microseconds of processor time, with a model that
 * answers at once, of steps that follow each other (chain) and of steps side by side with one that gathers what they found
 * (fan-out), in memory and in a SQLite file; and what it costs to read such a run over HTTP, and its log as a stream. Aim: a
 * step of a plan of 1,000 takes at most 1.3 times what one of a plan of 100 takes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlan } from '@svc/core'
import { createRuntime, SqliteStore } from '@svc/plugins'
import { createServer } from '@svc/server'
import { CONFIG, scriptedModel, wholeRun } from './durability/tasks.mjs'
import { cpuOf, median, quartiles, toRow } from './measure.mjs'

const SIZES = [10, 100, 300, 1_000]
/** Steps of one size in a round, at least: so many runs. */
const STEPS = 200
const [ROUNDS, WARM_UP] = [7, 3]
const AIM = 1.3
const AGENTS = 20

const idOf = (number) => `part-${number}`
const parts = (count) =>
  Array.from({ length: count }, (_, index) => ({ id: idOf(index + 1), objective: `Count what part ${index + 1} has` }))
const PLANS = {
  chain: (size) => parts(size).map((part, index) => (index === 0 ? part : { ...part, dependsOn: [idOf(index)] })),
  'fan-out': (size) => [
    ...parts(size - 1).map((part, index) => ({ ...part, agentId: `agent-${1 + (index % AGENTS)}` })),
    {
      id: 'all',
      role: 'synthesizer',
      objective: 'Put the parts together',
      dependsOn: parts(size - 1).map(({ id }) => id),
    },
  ],
}

export async function measure() {
  const dir = mkdtempSync(join(tmpdir(), 'svc-long-plans-'))
  const [inMemory, inFile] = [await start(), await start(new SqliteStore({ file: join(dir, 'svc.db') }))]
  const server = createServer({ runtime: inFile, port: 0, keys: () => [], limits: { requestsPerMinute: 1e9 } })
  const url = await server.listen()
  try {
    const rows = []
    for (const shape of Object.keys(PLANS)) {
      const ids = new Map()
      const keep = async (size) => ids.set(size, await run(inFile, shape, size))
      rows.push(...(await compare(`${shape}, in memory`, (size) => run(inMemory, shape, size))))
      rows.push(...(await compare(`${shape}, in SQLite`, keep)))
      rows.push(...(await compare(`${shape}, GET`, (size) => read(`${url}/v1/runs/${ids.get(size)}`))))
      rows.push(
        ...(await compare(`${shape}, event stream`, (size) =>
          read(`${url}/v1/runs/${ids.get(size)}/events`, 'text/event-stream'),
        )),
      )
    }
    return rows
  } finally {
    await server.close()
    await Promise.all([inMemory.close(), inFile.close()])
    rmSync(dir, { recursive: true, force: true })
  }
}

const start = (store) =>
  createRuntime(
    { ...CONFIG, maxPlanSteps: Math.max(...SIZES) },
    { plugins: [scriptedModel()], env: {}, ...(store !== undefined && { store }) },
  )

const run = (runtime, shape, size) =>
  wholeRun(runtime, { task: 'Count', tokenBudget: 100_000_000, plan: definePlan({ steps: PLANS[shape](size) }) })

async function read(url, accept = 'application/json') {
  const response = await fetch(url, { headers: { accept } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`)
}

/** A row for each size; all take turns. */
async function compare(name, work) {
  const costs = new Map(SIZES.map((size) => [size, []]))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const size of SIZES) {
      const times = Math.max(1, STEPS / size)
      const cpu = await cpuOf(async () => {
        for (let done = 0; done < times; done++) await work(size)
      })
      if (round >= 0) costs.get(size).push(cpu / times / size)
    }
  }
  return SIZES.map((size) => {
    const row = { name: `${name}, ${size} steps`, value: median(costs.get(size)), unit: 'µs CPU/step' }
    if (size !== 1_000) return toRow(row)
    const ratios = costs.get(size).map((cost, round) => cost / costs.get(100)[round])
    return toRow({
      ...row,
      peer: median(costs.get(100)),
      ratio: median(ratios),
      spread: quartiles(ratios),
      aim: AIM,
      of: 'ratio',
    })
  })
}
