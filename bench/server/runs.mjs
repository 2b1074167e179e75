/**
 * 200 runs at once with a model that takes 50 ms: the processor time of the server against that of the same runs without
 * one, in a process each, in turn and warm.
 *
 * Usage: node bench/server/runs.mjs [--rounds 8] [--runs 200] [--steps 4]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { newTask } from '../durability/tasks.mjs'
import { median, quartiles } from '../measure.mjs'
import { forkSide, send } from './fork-side.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '8' },
    runs: { type: 'string', default: '200' },
    steps: { type: 'string', default: '4' },
  },
})
const [ROUNDS, RUNS, STEPS] = [Number(values.rounds), Number(values.runs), Number(values.steps)]
const DELAY_MS = 50
const WARM_UP = 3
const AIM = 1.2

const dir = mkdtempSync(join(tmpdir(), 'svc-server-bench-'))
const sides = await Promise.all(
  ['server', 'embedded'].map((kind) => forkSide(kind, { file: join(dir, `${kind}.db`), delayMs: DELAY_MS })),
)
const figures = new Map(sides.map((side) => [side, { cpu: [], time: [] }]))
let made = 0
try {
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const tasks = Array.from({ length: RUNS }, () => newTask(`run ${++made}`, STEPS))
      const before = await side.ask('figures')
      const started = performance.now()
      if (side.kind === 'embedded') await side.ask('runs', { tasks })
      else await Promise.all(tasks.map((task) => send(`${side.url}/v1/runs?wait=60000`, task)))
      const time = performance.now() - started
      const after = await side.ask('figures')
      if (round < 0) continue
      figures.get(side).cpu.push((after.cpuMs - before.cpuMs) / RUNS)
      figures.get(side).time.push(time)
    }
  }
  const [server, embedded] = sides.map((side) => figures.get(side))
  console.log(
    `${RUNS} runs at once, ${STEPS} model calls of ${DELAY_MS} ms each; median of ${ROUNDS} rounds (quartiles)`,
  )
  for (const [side, { cpu, time }] of figures) {
    const perCall = (median(time) - STEPS * DELAY_MS) / STEPS
    console.log(
      `${side.kind.padEnd(10)} CPU ${withQuartiles(cpu)} ms a run; all end after ${median(time).toFixed(0)} ms, ${perCall.toFixed(1)} ms a call above the model`,
    )
  }
  const ratios = server.cpu.map((value, round) => value / embedded.cpu[round])
  console.log(
    `server / embedded, CPU: ${withQuartiles(ratios)}  aim <= ${AIM}: ${median(ratios) <= AIM ? 'met' : 'MISSED'}`,
  )
} finally {
  for (const side of sides) side.stop()
  rmSync(dir, { recursive: true, force: true })
}

function withQuartiles(list) {
  const [low, high] = quartiles(list)
  return `${median(list).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`
}
