/**
 * A server under steady load for an hour, with runs in a file: each minute its memory after a collection, open files,
 * timers and other handles, the delay of its event loop, and runs so far; at the end how memory and files grow.
 *
 * Usage: node bench/server/soak.mjs [--minutes 60] [--clients 8] [--every 60]
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newTask } from '../durability/tasks.mjs'
import { numbersOf } from '../measure.mjs'
import { forkSide, send } from './fork-side.mjs'

const { minutes, clients, every } = numbersOf({ minutes: 60, clients: 8, every: 60 })
const AIM_MB = 1

const dir = mkdtempSync(join(tmpdir(), 'svc-soak-'))
const side = await forkSide('server', { file: join(dir, 'svc.db'), delayMs: 5 })
const until = performance.now() + minutes * 60_000
let count = 0
let failed = 0
const seen = []
try {
  await Promise.all([...Array.from({ length: clients }, client), watch()])
  // What is compiled and cached first is no growth.
  const later = seen.slice(Math.floor(seen.length / 3))
  const mb = slope(later.map(({ hours, rssMb }) => [hours, rssMb]))
  const files = slope(later.map(({ hours, files }) => [hours, files]))
  console.log(
    `${count} runs, ${failed} requests failed; in the last two thirds memory grows by ${mb.toFixed(1)} MB an hour, open files by ${files.toFixed(1)}`,
  )
  console.log(
    `aim < ${AIM_MB} MB an hour${minutes < 60 ? ', to be judged after an hour' : `: ${mb < AIM_MB ? 'met' : 'MISSED'}`}`,
  )
  if (minutes >= 60 && (mb >= AIM_MB || failed > 0)) process.exitCode = 1
} finally {
  side.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit()

/** Makes runs, watches some of them, and looks at others. */
async function client() {
  while (performance.now() < until) {
    const n = ++count
    try {
      const task = newTask(`run ${n}`, 2)
      const { id } = JSON.parse(await send(`${side.url}/v1/runs${n % 3 === 0 ? '' : '?wait=60000'}`, task))
      if (n % 3 === 0)
        await (await fetch(`${side.url}/v1/runs/${id}/events`, { headers: { accept: 'text/event-stream' } })).text()
      if (n % 5 === 0) await send(`${side.url}/v1/runs?limit=20&status=completed`)
      if (n % 7 === 0) await send(`${side.url}/v1/runs/${id}/trace`)
      if (n % 11 === 0) await leave(id)
      if (n % 13 === 0) await send(`${side.url}/metrics`)
    } catch (thrown) {
      if (++failed <= 5) console.log(String(thrown))
    }
  }
}

/** A reader that goes away in the middle. */
async function leave(id) {
  const gone = new AbortController()
  const { body } = await fetch(`${side.url}/v1/runs/${id}/events`, {
    headers: { accept: 'text/event-stream' },
    signal: gone.signal,
  })
  await body.getReader().read()
  gone.abort()
}

async function watch() {
  for (const started = performance.now(); performance.now() < until; await sleep(every * 1_000)) {
    const { rssMb, heapMb, lagMs, handles } = await side.ask('figures')
    const files = readdirSync(`/proc/${side.pid}/fd`).length
    const hours = (performance.now() - started) / 3_600_000
    seen.push({ hours, heapMb, rssMb, files })
    console.log(
      `${(hours * 60).toFixed(1).padStart(6)} min  ${rssMb.toFixed(1)} MB, heap ${heapMb.toFixed(1)}  ${files} files  ${handles} handles  event loop p99 ${lagMs.toFixed(1)} ms  ${count} runs`,
    )
  }
}

/** Median of the slopes between all pairs of points (Theil 1950, Sen 1968): a minute of something else is no growth. */
function slope(points) {
  const slopes = points.flatMap(([x, y], index) => points.slice(index + 1).map(([at, value]) => (value - y) / (at - x)))
  return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0
}
