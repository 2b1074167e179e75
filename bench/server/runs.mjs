/**
 * 200 runs at once with a model that takes 50 ms: the processor time of the server against that of the same runs without
 * one, in a process each, in turn and warm.
 *
 * Usage: node bench/server/runs.mjs [--rounds 8] [--runs 200] [--steps 4]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newTask } from '../durability/tasks.mjs'
import { median, numbersOf, withQuartiles } from '../measure.mjs'
import { forkSide, send, takeTurns } from './fork-side.mjs'

const { rounds, runs, steps } = numbersOf({ rounds: 8, runs: 200, steps: 4 })
const DELAY_MS = 50
const WARM_UP = 3
const AIM = 1.2

const dir = mkdtempSync(join(tmpdir(), 'svc-server-bench-'))
const sides = await Promise.all(
  ['server', 'embedded'].map((kind) => forkSide(kind, { file: join(dir, `${kind}.db`), delayMs: DELAY_MS })),
)
let made = 0
try {
  const figures = await takeTurns(sides, {
    rounds,
    warmUp: WARM_UP,
    async work(side) {
      const tasks = Array.from({ length: runs }, () => newTask(`run ${++made}`, steps))
      if (side.kind === 'embedded') await side.ask('runs', { tasks })
      else await Promise.all(tasks.map((task) => send(`${side.url}/v1/runs?wait=60000`, task)))
    },
  })
  console.log(
    `${runs} runs at once, ${steps} model calls of ${DELAY_MS} ms each; median of ${rounds} rounds (quartiles)`,
  )
  const [server, embedded] = figures.map(({ cpuMs }) => cpuMs.map((ms) => ms / runs))
  for (const [index, cpu] of [server, embedded].entries()) {
    const time = median(figures[index].ms)
    const perCall = (time - steps * DELAY_MS) / steps
    console.log(
      `${sides[index].kind.padEnd(10)} CPU ${withQuartiles(cpu)} ms a run; all end after ${time.toFixed(0)} ms, ${perCall.toFixed(1)} ms a call above the model`,
    )
  }
  const ratios = server.map((value, round) => value / embedded[round])
  console.log(
    `server / embedded, CPU: ${withQuartiles(ratios)}  aim <= ${AIM}: ${median(ratios) <= AIM ? 'met' : 'MISSED'}`,
  )
} finally {
  for (const side of sides) side.stop()
  rmSync(dir, { recursive: true, force: true })
}
