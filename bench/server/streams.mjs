/**
 * 1000 readers of event streams, 20 events a second each: how late events come, what they cost, and the memory, against
 * `node:http` that writes the same to the same readers. Sides take turns.
 *
 * Usage: node bench/server/streams.mjs [--readers 1000] [--runs 20] [--seconds 10] [--rounds 2]
 */
import { Agent, get } from 'node:http'
import { median, numbersOf } from '../measure.mjs'
import { forkSide } from './fork-side.mjs'
import { now } from './talk.mjs'

const { readers, runs, seconds, rounds } = numbersOf({ readers: 1000, runs: 20, seconds: 10, rounds: 2 })
const SPOKEN = /"message":"at ([\d.]+) /g

const agent = new Agent({ maxSockets: Infinity })
for (const kind of ['server', 'http']) {
  const p50 = []
  const p99 = []
  const cpu = []
  const rss = []
  for (let round = 0; round < rounds; round++) {
    const side = await forkSide(kind)
    const before = await side.ask('figures')
    const late = await read(side)
    const after = await side.ask('figures')
    const sorted = Float64Array.from(late).sort()
    if (sorted.length < readers * seconds * 20 * 0.9) throw new Error(`only ${sorted.length} events came`)
    p50.push(sorted[Math.floor(sorted.length * 0.5)])
    p99.push(sorted[Math.floor(sorted.length * 0.99)])
    cpu.push(((after.cpuMs - before.cpuMs) * 1_000) / sorted.length)
    rss.push(after.rssMb)
    side.stop()
  }
  const [p, m] = [median(p99), Math.max(...rss)]
  console.log(
    `${kind.padEnd(7)} ${readers} readers of ${runs} runs, ${rounds} rounds of ${seconds} s: late p50 ${median(p50).toFixed(1)} ms, p99 ${p.toFixed(1)} ms; ` +
      `${median(cpu).toFixed(1)} µs of CPU an event sent; memory ${m.toFixed(0)} MB` +
      (kind === 'server'
        ? `  aims: p99 < 150 ms ${p < 150 ? 'met' : 'MISSED'}, < 300 MB ${m < 300 ? 'met' : 'MISSED'}`
        : ''),
  )
}
process.exit()

/** How late each event came, in milliseconds. */
async function read(side) {
  const late = []
  const ids = await side.ask('talkers', { count: runs, seconds })
  const pathOf = (id) => (side.kind === 'http' ? `/events/${id}` : `/v1/runs/${id}/events`)
  const open = Array.from({ length: readers }, (_, n) => {
    const url = side.url + pathOf(ids[n % ids.length])
    return new Promise((resolve) => {
      get(url, { agent, headers: { accept: 'text/event-stream' } }, (response) => {
        response.setEncoding('latin1').on('data', (text) => {
          const at = now()
          for (const [, said] of text.matchAll(SPOKEN)) late.push(at - Number(said))
        })
        response.on('error', () => {})
        resolve(response)
      }).on('error', () => {})
    })
  })
  const responses = await Promise.all(open)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000 + 1_000))
  for (const response of responses) response.destroy()
  return late
}
