/** Signals and time-outs. */

import { sequentialPlan } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { svc } from './fixtures/svc.ts'
import { begin, makeWorld, type Outcome, STACK, type World } from './fixtures/world.ts'

const test = suite('signals')

// The first of two steps is answered; the second hangs.
const server = await startModelServer(({ messages }) =>
  JSON.stringify(messages).includes('HANG') ? () => {} : 'The first part is done.',
)
const world = makeWorld({}, { 'providers/mine.json': dropIn(server) })

const HANGING = ['run', '--topology', 'SINGLE', 'Please HANG on this one']

/** What comes of a `svc` that is sent a signal once it has said so. */
async function stopped(here: World, args: readonly string[], said: RegExp, signal: NodeJS.Signals): Promise<Outcome> {
  const running = begin(here, args)
  await running.says(said)
  running.child.kill(signal)
  return running.outcome
}

test('SIGTERM leaves a run as it is, and exits with 143', async () => {
  const terminated = await stopped(world, [...HANGING, '--json'], /step-1 agent-1:/, 'SIGTERM')
  assert.is(terminated.code, 143, terminated.err)
  const { runId, error } = JSON.parse(terminated.out)
  assert.is(error.code, 'shutting_down')
  assert.match(terminated.err, `svc runs resume ${runId} goes on with it`)
  const left = await svc(world, ['runs', 'get', runId, '--json'])
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
  const order = ['run', '--trust', 'Say hello and then wait']
  const { code, out, err } = await stopped(two, order, /step-2 agent-1:/, 'SIGINT')
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
  const order = ['run', '-v', '--trust', 'Wait for ever please']
  const { code, err } = await stopped(stubborn, order, /plan: /, 'SIGINT')
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
  const { code, err } = await begin(stuck, ['run', '--trust', '--timeout', '300ms', 'Wait for ever please']).outcome
  assert.is(code, 124, err)
  assert.match(err, /not finished within 0\.3 s/)
})

test.run()
