/**
 * What session memory costs one run after 0, 100, 1,000 and 10,000 remembered runs:
 *
 *     node --expose-gc --conditions=@svc/source --import tsx bench/quality/memory-growth.ts [--runs 200] [--levels 4]
 *
 * One run is what the memory plugin does: a query for the task, the summary of how it ended, and a consolidation when
 * enough is new. Wordings are alike, as those of one client are. Printed are µs of processor time for one run (median of
 * batches of ten, so that a collection of garbage or a consolidation does not hide in a mean) and the heap that the
 * memory holds. Needs no data.
 */
import { parseArgs } from 'node:util'
import { ThreeLayerMemory } from '@svc/core'
import { median, quantile, seeded } from './lib/bootstrap.ts'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200' }, levels: { type: 'string', default: '4' } },
})
const MEASURED = Number(values.runs)
const BATCH = 10
const LEVELS = [0, 100, 1000, 10_000].slice(0, Number(values.levels))
const START = Date.parse('2026-01-01T00:00:00Z')
const CONSOLIDATE_AT = 20

const random = seeded(7)
const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? ''
const VERBS = 'summarise compare check list translate explain price order ship refund'.split(' ')
const THINGS = 'invoice parcel contract lease ledger ticket report crane ferry harbour'.split(' ')
const PLACES = 'Lisbon Oslo Porto Turin Graz Ghent Malmo Bergen Delft Cork'.split(' ')

const taskOf = (index: number): string =>
  `Please ${pick(VERBS)} the ${pick(THINGS)} of customer ${index} in ${pick(PLACES)} and report the total in euros`
const answerOf = (index: number): string =>
  `The ${pick(THINGS)} of customer ${index} in ${pick(PLACES)} comes to ${Math.floor(random() * 9000)} euros. ` +
  Array.from({ length: 12 }, () => `${pick(VERBS)} ${pick(THINGS)} ${pick(PLACES)} ${Math.floor(random() * 999)}`).join(
    ', ',
  )

let ran = 0
async function runOnce(memory: ThreeLayerMemory): Promise<void> {
  const index = ran++
  const task = taskOf(index)
  const now = () => START + index * 60_000
  const asOf = new Date(now()).toISOString()
  await memory.query({ query: task, limit: 10, minScore: 0.25, asOf, scope: { threadId: '' } }, { now })
  await memory.write(
    {
      content: `Asked: ${task}\nAnswered: ${answerOf(index)}`,
      kind: 'summary',
      tags: ['run', 'completed'],
      source: { runId: `run_${index}`, origin: 'model' },
      trust: 'untrusted',
    },
    { now },
  )
  if (memory.unconsolidated >= CONSOLIDATE_AT) await memory.consolidate({ now })
}

const heap = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

// Steady state first: the code is compiled before anything is measured.
const warm = new ThreeLayerMemory()
for (let index = 0; index < 3000; index++) await runOnce(warm)

console.log('remembered   µs a run (median)   p95 of batches   heap of the memory, KB   KB a run')
for (const level of LEVELS) {
  const before = heap()
  const memory = new ThreeLayerMemory()
  for (let index = 0; index < level; index++) await runOnce(memory)
  const held = (heap() - before) / 1024
  const times: number[] = []
  for (let batch = 0; batch < MEASURED / BATCH; batch++) {
    const start = process.cpuUsage()
    for (let index = 0; index < BATCH; index++) await runOnce(memory)
    const { user, system } = process.cpuUsage(start)
    times.push((user + system) / BATCH)
  }
  const p95 = quantile(
    [...times].sort((a, b) => a - b),
    0.95,
  )
  const perRun = level === 0 ? '' : (held / level).toFixed(2)
  console.log(
    `${String(level).padStart(10)}   ${median(times).toFixed(0).padStart(17)}   ${p95.toFixed(0).padStart(14)}   ${held.toFixed(0).padStart(22)}   ${perRun}`,
  )
}
