/**
 * `GET /health` under load, and runs that are made in a file: requests a second, time and processor time of each, against
 * `node:http` and express with the same bytes, and against the same runs made without HTTP. Sides take turns.
 *
 * Usage: node bench/server/requests.mjs [--rounds 3] [--seconds 4]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { newTask } from '../durability/tasks.mjs'
import { median, numbersOf } from '../measure.mjs'
import { forkSide, takeTurns } from './fork-side.mjs'

const { rounds, seconds } = numbersOf({ rounds: 3, seconds: 4 })

const dir = mkdtempSync(join(tmpdir(), 'svc-server-bench-'))
try {
  await measureHealth()
  await measureCreations()
} finally {
  rmSync(dir, { recursive: true, force: true })
}

async function measureHealth() {
  const server = await forkSide('server')
  const answer = await fetch(`${server.url}/health`)
  const skipped = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !skipped.has(name)))
  const floor = { body: await answer.text(), headers }
  const sides = [server, await forkSide('http', floor), await forkSide('express', floor)]
  const figures = await takeTurns(sides, {
    rounds,
    work: (side) => load({ url: `${side.url}/health`, connections: 50 }),
  })
  console.log(`\nGET /health over 50 connections, ${rounds} rounds of ${seconds} s`)
  report(sides, figures, 0)
  const [{ perSecond, p99 }] = figures
  console.log(
    `aim >= 2000 a second: ${median(perSecond) >= 2_000 ? 'met' : 'MISSED'}; p99 < 50 ms: ${median(p99) < 50 ? 'met' : 'MISSED'}`,
  )
  for (const side of sides) side.stop()
}

async function measureCreations() {
  const sides = await Promise.all(
    ['server', 'embedded'].map((kind) => forkSide(kind, { file: join(dir, `${kind}.db`), claims: 'none' })),
  )
  for (const atOnce of [1, 16]) {
    const figures = await takeTurns(sides, {
      rounds,
      work: async (side) => {
        if (side.kind !== 'server') return { perSecond: await side.ask('creations', { seconds, atOnce }) }
        const body = JSON.stringify(newTask('run', 5))
        const headers = { 'content-type': 'application/json' }
        return load({ url: `${side.url}/v1/runs`, method: 'POST', connections: atOnce, body, headers })
      },
    })
    console.log(`\nPOST /v1/runs, recorded in a file, ${atOnce} at once, ${rounds} rounds of ${seconds} s`)
    report(sides, figures, 1)
    console.log(`aim >= 300 a second: ${median(figures[0].perSecond) >= 300 ? 'met' : 'MISSED'}`)
  }
  for (const side of sides) side.stop()
}

async function load(options) {
  const { requests, latency, non2xx, errors, duration } = await autocannon({
    ...options,
    duration: seconds,
    // The server takes so many requests on one connection, which autocannon does not read from its answers.
    reconnectRate: 100,
  })
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were refused, ${errors} requests failed`)
  return { perSecond: requests.total / duration, p50: latency.p50, p99: latency.p99 }
}

/** @param base the place of the side that the others are held against */
function report(sides, figures, base) {
  const cpuOf = ({ cpuMs, perSecond }) => median(cpuMs.map((ms, round) => ms / (perSecond[round] * seconds)))
  for (const [index, of] of figures.entries()) {
    const times = of.p50 === undefined ? '' : `  p50 ${median(of.p50)} ms, p99 ${median(of.p99)} ms`
    const ratio = (cpuOf(of) / cpuOf(figures[base])).toFixed(2)
    console.log(
      `${sides[index].kind.padEnd(10)} ${median(of.perSecond).toFixed(0).padStart(6)} a second  ${cpuOf(of).toFixed(3)} ms of CPU each (${ratio} x ${sides[base].kind})${times}`,
    )
  }
}
