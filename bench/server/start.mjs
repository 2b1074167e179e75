/**
 * Start and rest: time from the start of a process until `/readyz` answers, and its memory after two quiet seconds, of
 * `svc serve` over a new and over a filled folder, and of `node:http` alone.
 *
 * Usage: node bench/server/start.mjs [--times 5]
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median, numbersOf } from '../measure.mjs'

const { times } = numbersOf({ times: 5 })
const SVC = fileURLToPath(new URL('../../cli/bin/svc.js', import.meta.url))
const BARE = `require('node:http').createServer((_, response) => response.end('ok')).listen(Number(process.argv[1]), '127.0.0.1')`
const AIM_MS = 1_000

const dir = mkdtempSync(join(tmpdir(), 'svc-server-bench-'))
const env = { PATH: process.env.PATH, HOME: dir }
const sides = {
  'svc serve': (port) => [SVC, 'serve', '-q', '--port', port],
  'node:http': (port) => ['-e', BARE, port],
}
try {
  for (const [name, argumentsOf] of Object.entries(sides)) {
    const ready = []
    const rest = []
    for (let n = 0; n < times; n++) {
      const { readyMs, rssMb } = await measure(argumentsOf)
      ready.push(readyMs)
      rest.push(rssMb)
    }
    const first =
      name === 'svc serve'
        ? `, the first time ${ready[0].toFixed(0)} ms  aim < ${AIM_MS} ms: ${ready[0] < AIM_MS ? 'met' : 'MISSED'}`
        : ''
    console.log(
      `${name.padEnd(10)} ready after ${median(ready).toFixed(0)} ms${first}; at rest ${median(rest).toFixed(0)} MB`,
    )
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}

async function measure(argumentsOf) {
  const port = await freePort()
  const started = performance.now()
  const child = spawn(process.execPath, argumentsOf(String(port)), { env, cwd: dir, stdio: 'ignore' })
  while (!(await isReady(port))) await sleep(2)
  const readyMs = performance.now() - started
  await sleep(2_000)
  const rssMb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_000
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
  return { readyMs, rssMb }
}

function isReady(port) {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
