/** `svc chat`, and runs of one thread. */
import type { ExecutionResult, Run } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, startModelServer } from './fixtures/model-server.ts'
import { each, jsonLines, svc } from './fixtures/svc.ts'
import { begin, makeWorld, STACK, type World } from './fixtures/world.ts'

const test = suite('svc chat')

let isHanging = false

const textOf = (asked: Asked): string => JSON.stringify(asked.messages)

const server = await startModelServer((asked) => {
  if (textOf(asked).includes('FAIL')) return (_, response) => void response.writeHead(401).end('{}')
  if (isHanging) return () => {}
  return /my name is (\w+)/.test(textOf(asked)) && textOf(asked).includes('What is my name')
    ? 'Your name is Bob.'
    : 'Understood.'
})

const world = (): World => makeWorld({}, { 'providers/mine.json': dropIn(server) })
const threadOf = (err: string): string => /svc: (thr_\w+)/.exec(err)?.[1] ?? ''

test('each line is a turn, and another process goes on with the conversation', async () => {
  const here = world()
  const first = await svc(here, 'chat', { input: 'Hello, my name is Bob\n\nWhat is my name?\n' })
  assert.is(first.code, 0, first.err)
  assert.is(first.out, 'Understood.\nYour name is Bob.\n')
  const thread = threadOf(first.err)
  assert.match(first.err, `svc: svc chat --thread ${thread} goes on with this conversation`)
  const asked = server.asked.length
  const second = await svc(here, ['chat', '-q', '--json', '--thread', thread.slice(-8)], {
    input: 'What is my name now?\n/cost\n',
  })
  assert.is(second.code, 0, second.err)
  const [turn, cost] = jsonLines<{ summary?: string; turns?: number; costUsd?: number | null }>(second.out)
  assert.is(turn?.summary, 'Your name is Bob.')
  assert.equal([cost?.turns, cost?.costUsd], [3, null])
  assert.match(textOf(server.asked[asked] as Asked), /my name is Bob/)
  const [run, listed, wrong, missing] = await each(here, [
    ['run', '--thread', thread, '--json', 'What is my name, once more?'],
    ['runs', 'list', '--thread', thread, '--json'],
    ['run', '--thread', 'run_01JZ4K0M6T8N2QW3E5R7Y9V1XA', 'What is my name?'],
    'chat --thread thr_01JZ4K0M6T8N2QW3E5R7Y9V1XA',
  ])
  assert.is((JSON.parse(run.out) as ExecutionResult).summary, 'Your name is Bob.')
  assert.is((JSON.parse(listed.out) as { data: Run[] }).data.length, 4)
  assert.is(wrong.code, 2)
  assert.is(missing.code, 1)
  assert.match(missing.err, /\[thread_not_found\]/)
})

test('a turn that fails ends nothing else, and the last failure is the exit code', async () => {
  const here = world()
  const { code, out, err } = await svc(here, 'chat --topology SINGLE', {
    input: 'FAIL please\n/nonsense\n/plan\n/etc/passwd is what?\n/plan Compare two files\n/help\n/exit\nnever asked\n',
  })
  assert.is(code, 5, err)
  assert.match(err, /svc: failed: .*\[provider_auth\]/)
  assert.match(err, /there is no \/nonsense: .*\[validation_failed\]/)
  assert.match(err, /\/plan needs a task/)
  assert.match(err, /\/cost tokens and cost/)
  assert.match(out, /^Topology SINGLE/m)
  assert.not.match(out + err, /never asked/)
  assert.not.match(err, STACK)
})

test('an unfinished turn is named before the next one, and a conversation without a turn leaves no thread', async () => {
  const here = world()
  isHanging = true
  const running = begin(here, 'chat', { input: 'Hello, my name is Bob\n' })
  await running.says(/step-1 agent-1: Hello/)
  running.child.kill('SIGTERM')
  const left = await running.outcome
  isHanging = false
  assert.is(left.code, 143, left.err)
  const [, id] = /run (run_\w+) was released unfinished/.exec(left.err) ?? []
  const thread = threadOf(left.err)
  const refused = await svc(here, ['chat', '--thread', thread], { input: 'What is my name?\n' })
  assert.is(refused.code, 1)
  assert.match(refused.err, `${thread} has an unfinished run ${id} (running): svc runs resume ${id} goes on with it`)
  const resumed = await svc(here, ['runs', 'resume', id ?? ''])
  assert.is(resumed.out, 'Understood.\n')
  const next = await svc(here, ['chat', '--thread', thread], { input: 'What is my name?\n' })
  assert.is(next.out, 'Your name is Bob.\n')
  const empty = await svc(here, 'chat', { input: '/help\n' })
  assert.is(empty.code, 0)
  assert.not.match(empty.err, /goes on with this conversation/)
  const gone = await svc(here, ['chat', '--thread', threadOf(empty.err)])
  assert.match(gone.err, /\[thread_not_found\]/)
})

test.run()
