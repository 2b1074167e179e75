/** Signals and time-outs. */

import { sequentialPlan } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from './fixtures/model-server.ts'

import { makeWorld, STACK, svcProcess } from './fixtures/world.ts'

const test = suite('signals')

// The first of two steps is answered; the second hangs.
const server = await startModelServer(({ messages }) =>
  JSON.stringify(messages).includes('HANG') ? () => {} : 'The first part is done.',
)
const world = makeWorld({}, { 'providers/mine.json': dropIn(server) })

const HANGING = ['run', '--topology', 'SINGLE', 'Please HANG on this one']

const kill = (signal: NodeJS.Signals, times = 1) => {
  let sent = 0
  return (child: { kill(signal: NodeJS.Signals): boolean }, err: string): void => {
    if (sent > 0 || !err.includes('step-1 agent-1:')) return
    for (; sent < times; sent++) child.kill(signal)
  }
}

test('SIGTERM leaves a run as it is, and exits with 143', async () => {
  const terminated = await svcProcess(world, [...HANGING, '--json'], { watch: kill('SIGTERM') })
  assert.is(terminated.code, 143, terminated.err)
  const { runId, error } = JSON.parse(terminated.out)
  assert.is(error.code, 'shutting_down')
  assert.match(terminated.err, `svc runs resume ${runId} goes on with it`)
  const left = await svcProcess(world, ['runs', 'get', runId, '--json'])
  assert.is(JSON.parse(left.out).status, 'running')
  assert.not.match(terminated.err, STACK)
})

test('what was done before Ctrl-C is printed', async () => {
  const plan = sequentialPlan(['Say hello', 'HANG'])
  const two = makeWorld(
    {
      '.svc/plugins/two.mjs': `export default { name: 'two', apply: (host) => host.hooks.plan.tap('two', () => (${JSON.stringify(plan)})) }`,
    },
    { 'providers/mine.json': dropIn(server) },
  )
  let sent = false
  const { code, out, err } = await svcProcess(two, ['run', '--trust', 'Say hello and then wait'], {
    watch(child, said) {
      if (!sent && said.includes('step-2 agent-1:')) sent = child.kill('SIGINT')
    },
  })
  assert.is(code, 130, err)
  assert.match(out, /The first part is done\./)
})

test('a second Ctrl-C does not wait', async () => {
  const stubborn = makeWorld(
    {
      // It takes no notice of the cancelled run, keeps the process from idling, and sends the second signal after the first.
      '.svc/plugins/stubborn.mjs': `export default { name: 'stubborn', apply(host) {
        process.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
        host.hooks.execute.tapPromise('stubborn', () => new Promise(() => setInterval(() => {}, 50)))
        host.hooks.inspect.tapPromise('stubborn', () => new Promise(() => {}))
      } }`,
    },
    { 'providers/mine.json': dropIn(server) },
  )
  let isSent = false
  const { code, err } = await svcProcess(stubborn, ['run', '-v', '--trust', 'Wait for ever please'], {
    watch(child, said) {
      if (!isSent && said.includes('plan: ')) isSent = child.kill('SIGINT')
    },
  })
  assert.is(code, 130, err)
  assert.not.match(err, /svc: cancelled/, 'it did not wait for the run to end')
  assert.not.match(err, STACK)
})

test('a plugin that never returns does not keep svc from ending', async () => {
  const stuck = makeWorld({
    '.svc/plugins/stuck.mjs': `export default { name: 'stuck', apply(host) {
      host.hooks.execute.tapPromise('stuck', () => new Promise(() => setInterval(() => {}, 50)))
    } }`,
  })
  const { code, err } = await svcProcess(stuck, ['run', '--trust', '--timeout', '300ms', 'Wait for ever please'])
  assert.is(code, 124, err)
  assert.match(err, /not finished within 0\.3 s/)
})

test.run()
