/** Runs over the store of examples/own-parts, whose every answer is a promise, in one process and in two. */

import type { ExecutionResult, RunEvent, Runtime } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ModelServer, makeProject, notesIn, startIn, startModelServer } from './fixtures/own-parts.ts'

const test = suite('runs over a file of JSON lines')

let model: ModelServer
// What hangs is to fail by its test, not by a process that has nothing left to do.
const alive = setInterval(() => {}, 1_000)
test.before(async () => {
  model = await startModelServer()
})
test.after(() => {
  model.close()
  clearInterval(alive)
})
test.before.each(() => {
  model.asked = []
  model.answer = () => 'well'
})

const ASKING = { policy: { rules: [{ tool: 'remember', decision: 'ask' as const }] } }
const REMEMBER = '!remember {"content":"The release train leaves on Thursdays."}'
const noted = (folder: string): number =>
  notesIn(folder).filter(({ content }) => content === 'The release train leaves on Thursdays.').length

const summaryOf = async (runtime: Runtime, id: string): Promise<string> =>
  ((await runtime.runs.wait(id)).result as ExecutionResult).summary

async function eventsOf(runtime: Runtime, id: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of runtime.runs.events(id, { deltas: false })) events.push(event)
  return events
}

const isGapFree = (events: readonly RunEvent[]): boolean => events.every(({ seq }, index) => seq === index + 1)

test('a question that one process asked is answered in another, and asked once', async () => {
  const folder = makeProject(model.baseUrl)
  model.answer = () => (model.asked.length === 1 ? REMEMBER : 'It is remembered.')
  const first = await startIn(folder, model.baseUrl, {}, ASKING)
  const { id } = await first.runs.create({ task: 'Remember the train.', topology: 'SINGLE', approval: 'wait' })
  const waiting = await first.runs.wait(id)
  assert.is(waiting.status, 'waiting')
  const approvalId = waiting.waiting?.approvals?.[0]?.id ?? ''
  await first.close()

  const second = await startIn(folder, model.baseUrl, {}, ASKING)
  assert.equal(
    (await second.approvals.list({ status: 'pending' })).data.map((one) => one.id),
    [approvalId],
  )
  await second.approvals.resolve(approvalId, { decision: 'approve' })
  const ended = await second.runs.wait(id)
  assert.is(ended.status, 'completed', JSON.stringify(ended))
  assert.is(ended.recoveries, 0, 'letting go in good order is no crash')
  assert.is(model.asked.length, 2)
  assert.is(noted(folder), 1)
  assert.is((await second.approvals.get(approvalId)).status, 'approved')
  const events = await eventsOf(second, id)
  assert.ok(isGapFree(events))
  assert.is(events.filter(({ type }) => type === 'approval.resolved').length, 1)
  await second.close()
})

test('of two processes one holds a run, and the other one watches it and cancels it', async () => {
  const folder = makeProject(model.baseUrl)
  let hungUp = false
  model.answer = (_body, closed) =>
    closed.then(() => {
      hungUp = true
      return ''
    })
  const holder = await startIn(folder, model.baseUrl)
  const { id } = await holder.runs.create({ task: 'Wait.', topology: 'SINGLE' })
  while (model.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  const other = await startIn(folder, model.baseUrl)
  const watched = eventsOf(other, id)
  const { status } = await other.runs.cancel(id, 'enough')
  assert.ok(['cancelling', 'cancelled'].includes(status), status) // the holder may have ended it by then
  assert.is((await other.runs.wait(id)).status, 'cancelled')
  const events = await watched
  assert.ok(isGapFree(events))
  assert.equal(events.at(-1)?.type, 'run.cancelled')
  await holder.close()
  while (!hungUp) await new Promise((resolve) => setTimeout(resolve, 5))
  await other.close()
})

test('runs are replayed, forked, compared and deleted', async () => {
  const folder = makeProject(model.baseUrl)
  const runtime = await startIn(folder, model.baseUrl)
  model.answer = () => (model.asked.length === 1 ? REMEMBER : 'It is remembered.')
  const { id } = await runtime.runs.create({ task: 'Remember the train.', topology: 'SINGLE' })
  assert.is(await summaryOf(runtime, id), 'It is remembered.')
  assert.equal(await runtime.runs.replay(id), { identical: true })
  assert.is(model.asked.length, 2)

  const events = await eventsOf(runtime, id)
  const acted = events.find(({ type }) => type === 'tool.completed')?.seq ?? 0
  model.answer = () => 'It was remembered before.'
  const fork = await runtime.runs.fork(id, { atSeq: acted })
  assert.is(await summaryOf(runtime, fork.id), 'It was remembered before.')
  assert.is(model.asked.length, 3, 'what was recorded before the fork is not paid for again')
  assert.is(noted(folder), 1)
  const { output, toolCalls } = await runtime.runs.diff(id, fork.id)
  assert.equal([output.length, toolCalls.length], [1, 0])

  await runtime.runs.delete(id)
  const other = await startIn(folder, model.baseUrl)
  for (const each of [runtime, other]) {
    await each.runs.get(id).then(
      () => assert.unreachable(),
      (thrown) => assert.is(thrown.code, 'run_not_found'),
    )
    assert.is((await each.runs.list()).data.length, 1)
  }
  assert.is((await other.runs.get(fork.id)).status, 'completed', 'what took over its records stands by itself')
  await runtime.close()
  await other.close()
})

test.run()
