/**
 * `GET /health` under load, and runs that are made in a file: requests a second, time and processor time of each, against
 * `node:http` and express with the same bytes, and against the same runs made without HTTP. Sides take turns.
 *
 * Usage: node bench/server/requests.mjs [--rounds 3] [--seconds 4]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { newTask } from '../durability/tasks.mjs'
import { median } from '../measure.mjs'
import { forkSide } from './fork-side.mjs'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '4' } },
})
const [ROUNDS, SECONDS] = [Number(values.rounds), Number(values.seconds)]

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
  const figures = await takeTurns(sides, (side) => load({ url: `${side.url}/health`, connections: 50 }))
  console.log(`\nGET /health over 50 connections, ${ROUNDS} rounds of ${SECONDS} s`)
  report(figures, 'server')
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
    const figures = await takeTurns(sides, async (side) => {
      if (side.kind !== 'server') return { perSecond: await side.ask('creations', { seconds: SECONDS, atOnce }) }
      const body = JSON.stringify(newTask('run', 5))
      const headers = { 'content-type': 'application/json' }
      return load({ url: `${side.url}/v1/runs`, method: 'POST', connections: atOnce, body, headers })
    })
    console.log(`\nPOST /v1/runs, recorded in a file, ${atOnce} at once, ${ROUNDS} rounds of ${SECONDS} s`)
    report(figures, 'embedded')
    console.log(`aim >= 300 a second: ${median(figures[0].perSecond) >= 300 ? 'met' : 'MISSED'}`)
  }
  for (const side of sides) side.stop()
}

/** @returns what each side did, round by round; a first round is not counted */
async function takeTurns(sides, measure) {
  const figures = sides.map(({ kind }) => ({ kind, perSecond: [], p50: [], p99: [], cpu: [] }))
  for (let round = -1; round < ROUNDS; round++) {
    for (const [index, side] of sides.entries()) {
      const before = await side.ask('figures')
      const { perSecond, p50, p99 } = await measure(side)
      const { cpuMs } = await side.ask('figures')
      if (round < 0) continue
      const to = figures[index]
      to.perSecond.push(perSecond)
      to.cpu.push((cpuMs - before.cpuMs) / (perSecond * SECONDS))
      if (p50 !== undefined) to.p50.push(p50)
      if (p99 !== undefined) to.p99.push(p99)
    }
  }
  return figures
}

async function load(options) {
  const { requests, latency, non2xx, errors, duration } = await autocannon({ ...options, duration: SECONDS })
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were refused, ${errors} requests failed`)
  return { perSecond: requests.total / duration, p50: latency.p50, p99: latency.p99 }
}

function report(figures, base) {
  const against = figures.find(({ kind }) => kind === base)
  for (const { kind, perSecond, p50, p99, cpu } of figures) {
    const times = p50.length === 0 ? '' : `  p50 ${median(p50)} ms, p99 ${median(p99)} ms`
    const ratio = (median(cpu) / median(against.cpu)).toFixed(2)
    console.log(
      `${kind.padEnd(10)} ${median(perSecond).toFixed(0).padStart(6)} a second  ${median(cpu).toFixed(3)} ms of CPU each (${ratio} x ${base})${times}`,
    )
  }
}
