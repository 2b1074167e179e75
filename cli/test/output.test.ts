/** What svc does where its output cannot be written: a device that is full, a reader that has gone, a closed stream. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { svc } from './fixtures/svc.ts'
import { makeWorld, SVC, type World } from './fixtures/world.ts'

const test = suite('output')

const FULL = '/dev/full'
const LINE = /^svc: standard output could not be written \(ENOSPC: no space left on device\): .+$/gm
const OFFLINE = ['--provider', 'offline']

/** Runs `svc` with one of its streams on a device that takes nothing. */
function onFullDevice(world: World, args: readonly string[], stream: 1 | 2) {
  const full = openSync(FULL, 'w')
  return new Promise<{ code: number | null; said: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [...SVC, ...args], {
      cwd: world.work,
      env: world.env,
      stdio: stream === 1 ? ['ignore', full, 'pipe'] : ['ignore', 'pipe', full],
    })
    closeSync(full)
    let said = ''
    const read = stream === 1 ? child.stderr : child.stdout
    read?.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, said }))
  })
}

if (existsSync(FULL)) {
  test('output to a full device exits 1 with one line that says so, and the run is kept', async () => {
    const world = makeWorld()
    const run = await onFullDevice(world, ['run', ...OFFLINE, '2+2'], 1)
    assert.is(run.code, 1, run.said)
    assert.is(run.said.match(LINE)?.length, 1, run.said)
    const id = /run_\w+/.exec(run.said)?.[0] ?? ''
    assert.match((await svc(world, ['runs', 'get', id])).out, /completed[\s\S]*2\+2 = 4/)
    const orders = [
      ['run', ...OFFLINE, '--json', '2+2'],
      ['runs', 'list', '--json'],
      ['runs', 'export', id],
      ['--help'],
      ['completion', 'bash'],
    ]
    for (const order of orders) {
      const { code, said } = await onFullDevice(world, order, 1)
      assert.is(code, 1, `${order.join(' ')}: ${said}`)
      assert.is(said.match(LINE)?.length, 1, `${order.join(' ')}: ${said}`)
    }
    // what was streamed into nothing is a run like any
    const { out } = await svc(world, 'runs list --json')
    assert.equal(
      JSON.parse(out).data.map(({ status }: { status: string }) => status),
      ['completed', 'completed'],
    )
  })

  test('another exit code than 0 stays where the output cannot be written either', async () => {
    const { code, said } = await onFullDevice(makeWorld(), ['runs', 'list', '--status', 'none', '--json'], 1)
    assert.is(code, 2, said)
    assert.is(said.match(LINE)?.length, 1, said)
  })

  test('a full standard error loses nothing of the answer', async () => {
    const { code, said } = await onFullDevice(makeWorld(), ['run', ...OFFLINE, '2+2'], 2)
    assert.is(code, 0)
    assert.is(said, '2+2 = 4\n')
  })
}

test('a reader that has gone ends the output with 141 and without a word, and the run is kept', async () => {
  const world = makeWorld()
  for (const flags of [[], ['--output', 'stream-json']]) {
    const child = spawn(process.execPath, [...SVC, 'run', ...OFFLINE, '-q', ...flags, '2+2'], {
      cwd: world.work,
      env: world.env,
    })
    child.stdout.destroy()
    child.stdin.end()
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    const code = await new Promise((resolve) => child.on('close', resolve))
    assert.is(code, 141, err)
    assert.is(err, '')
  }
  const { out } = await svc(world, 'runs list --json')
  assert.equal(
    JSON.parse(out).data.map(({ status }: { status: string }) => status),
    ['completed', 'completed'],
  )
})

test.run()
