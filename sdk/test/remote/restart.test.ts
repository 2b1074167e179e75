/** A server that is killed in the middle of runs and started again: its clients wait, and go on where they were. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../../.tools/launch.ts'
import { until } from '../../../server/test/fixtures/until.ts'
import { createClient } from '../../src/index.ts'
import { thrown } from '../fixtures/transports.ts'

const test = suite('a server that starts again')

interface Started {
  process: ChildProcess
  url: string
}

async function serve(dir: string, port = '0'): Promise<Started> {
  const child = spawn(
    process.execPath,
    [...argumentsFor(new URL('../fixtures/serve-process.ts', import.meta.url)), dir, port],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (bytes: Buffer) => resolve(String(bytes).trim()))
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  return { process: child, url }
}

async function kill({ process: child }: Started): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

test('runs that are waited for, streamed and listened to come to their end over a kill, and all runs are heard of again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-restart-'))
  let server = await serve(dir)
  const { url } = server
  const states: string[] = []
  const client = await createClient({
    serverUrl: url,
    patienceMs: Number.POSITIVE_INFINITY,
    onConnection: (state) => states.push(state),
  })
  const impatient = await createClient({ serverUrl: url })
  const [heard, ofAll]: [RunEvent[], RunEvent[]] = [[], []]
  let opened = 0
  const off = client.onRunEvent((event) => ofAll.push(event), { onOpen: () => opened++ })
  await until(() => opened === 1)
  const reader = client.stream('Count for the reader.')
  client.onEvent((event) => heard.push(event))
  const waiting = client.run('Count for the waiter.')
  const events: RunEvent[] = []
  let restarted: Promise<void> | undefined
  for await (const event of reader) {
    events.push(event)
    if (event.type !== 'message.delta' || restarted !== undefined) continue
    restarted = kill(server).then(async () => {
      await until(() => states.includes('away'))
      assert.is((await thrown(() => impatient.runs.list())).code, 'connection_failed')
      writeFileSync(join(dir, 'may-end'), '')
      server = await serve(dir, new URL(url).port)
    })
  }
  await restarted
  const { status, runId } = await waiting
  assert.equal([(await reader.result).status, status], ['completed', 'completed'])
  for (const list of [events, heard.filter((event) => event.runId === runId)]) {
    const kept = list.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
    assert.equal(
      kept,
      kept.map((_, index) => index + 1),
    )
    assert.ok(list.some(({ type }) => type === 'run.recovered'))
    assert.is(list.at(-1)?.type, 'run.completed')
  }
  assert.is((await client.runs.list()).data.length, 2, 'no run was made twice')
  await until(() => opened >= 2)
  assert.equal(states.slice(0, 2), ['away', 'back'])
  const other = await impatient.run('Count for somebody else.')
  await until(() => ofAll.some((event) => event.runId === other.runId && event.type === 'run.completed'))
  off()
  await impatient.disconnect()
  await client.disconnect()
  await kill(server)
  rmSync(dir, { recursive: true, force: true })
})

test('a server that stays away is given up when patience ends', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-restart-'))
  const server = await serve(dir)
  const client = await createClient({ serverUrl: server.url, patienceMs: 5_000 })
  const running = thrown(() => client.run('Count.'))
  const streaming = thrown(async () => {
    for await (const { type } of client.stream('Count.')) if (type === 'run.started') await kill(server)
  })
  assert.equal([(await running).code, (await streaming).code], ['connection_failed', 'connection_failed'])
  await client.disconnect()
  rmSync(dir, { recursive: true, force: true })
})

test.run()
