/** A fork keeps what was answered by then, in each store: only what comes after can differ. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createMemoryStore,
  definePlugin,
  type ForkInput,
  type Plugin,
  type RunEvent,
  type Runtime,
  STAGES,
  type Store,
  type Topology,
} from '@svc/core'
import { type ForkEdits, findForkPoint } from '@svc/core/client'
import type { Script } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findFirstDifference } from '../../core/src/runtime/runs/session/recovery/compare-events.ts'
import { analyze, createRuntime, PostgresStore, SqliteStore } from '../src/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { missing, startPostgres } from './fixtures/postgres.ts'
import { eventsOf, modelOf, resultOf } from './fixtures/runs.ts'
import { until } from './fixtures/until.ts'

const test = suite('forks keep what was answered')

/** What the model says depends on what it is asked alone. */
const say: Script = ({ messages }) => {
  const text = JSON.stringify(messages)
  const number = /Part of (\w+)/.exec(text)?.[1] ?? ''
  return `The answer ${number} is ${text.length % 7}.`
}

/** Says which stages were asked of it. */
const noting = (asked: string[]): Plugin =>
  definePlugin('noting', ({ hooks }) => {
    for (const stage of ['analyze', 'allocate', 'plan', 'execute', 'reflect', 'inspect'] as const)
      hooks[stage].tap({ name: 'noting', stage: -1_000 }, ((answer: unknown) => {
        asked.push(stage)
        return answer
      }) as never)
  })()

const keptIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'stage.completed' && event.data.inherited ? [event.stage ?? ''] : []))

const completed = (events: readonly RunEvent[], upTo: number): string[] =>
  events.flatMap(({ type, stage, seq = 0 }) => (type === 'stage.completed' && seq <= upTo ? [stage ?? ''] : []))

const TASK = 'Compare the crane with the bridge, then say which of both is older, and why'

for (const topology of ['SINGLE', 'CENTRALIZED', 'PARALLEL'] as Topology[]) {
  test(`a fork at any event with nothing changed is the same run: ${topology}`, async () => {
    const asked: string[] = []
    const runtime = await createRuntime(
      // The analyzer learns from run to run.
      { model: 'scripted/scripted', components: { analyze: analyze() } },
      { plugins: [modelOf(say), noting(asked)], env: {}, persist: false },
    )
    const { id } = await runtime.runs.create({ task: TASK, topology, memory: false })
    const result = await resultOf(runtime, id)
    const events = await eventsOf(runtime, id)
    const end = events.findLast(({ type }) => type === 'stage.completed')?.seq ?? 0
    for (let atSeq = 0; atSeq < end; atSeq += 5) {
      asked.length = 0
      const forked = await runtime.runs.fork(id, { atSeq })
      const other = await resultOf(runtime, forked.id)
      const log = await eventsOf(runtime, forked.id)
      assert.equal(
        [other.status, other.summary, other.usage.modelCalls],
        [result.status, result.summary, result.usage.modelCalls],
        `at ${atSeq}`,
      )
      const parted = findFirstDifference(events, log)
      assert.is(
        parted,
        undefined,
        `at ${atSeq}: ${JSON.stringify(parted?.map((seq, side) => (side === 0 ? events : log)[seq - 1]))}`,
      )
      const kept = keptIn(log)
      assert.equal(completed(events, atSeq), kept.slice(0, completed(events, atSeq).length), `at ${atSeq}`)
      assert.is(
        asked.filter((stage) => kept.includes(stage)).length,
        0,
        `at ${atSeq}: ${asked} was asked, ${kept} kept`,
      )
      assert.equal((await runtime.runs.replay(forked.id)).identical, true, `replay of the fork at ${atSeq}`)
      const again = await runtime.runs.fork(forked.id, { atSeq: Math.min(atSeq, log.length - 2) })
      assert.is((await resultOf(runtime, again.id)).summary, result.summary)
    }
    await runtime.close()
  })
}

test('under another config only what comes after the event changes', async () => {
  const file = join(folderOf(), 'runs.db')
  const start = (more: Plugin[]): Promise<Runtime> =>
    createRuntime(
      { model: 'scripted/scripted' },
      { plugins: [modelOf(say), ...more], env: {}, store: new SqliteStore({ file }) },
    )
  const before = await start([])
  const { id } = await before.runs.create({ task: TASK, topology: 'AUTO', memory: false })
  const result = await resultOf(before, id)
  const events = await eventsOf(before, id)
  await before.close()
  const other = definePlugin('other', ({ hooks }) => {
    hooks.analyze.tap({ name: 'other', stage: 1000 }, (answer) => answer && { ...answer, score: 0.987 })
    hooks.execute.tap({ name: 'other', stage: 1000 }, (answer) => answer && { ...answer, output: 'said otherwise' })
  })()
  const after = await start([other])
  const seqOf = (type: string, stage: string): number =>
    events.find((event) => event.type === type && event.stage === stage)?.seq ?? 0
  const forkAt = async (atSeq: number, edits?: object) => {
    const fork = await after.runs.fork(id, { atSeq, ...(edits && { edits }) })
    const done = await resultOf(after, fork.id)
    return { done, kept: keptIn(await eventsOf(after, fork.id)) }
  }
  const none = await forkAt(1)
  assert.equal([none.done.complexity?.score, none.kept], [0.987, []])
  const planned = await forkAt(seqOf('stage.completed', 'plan'))
  assert.is(planned.done.complexity?.score, result.complexity?.score, 'the analysis is kept')
  assert.equal(planned.kept, ['analyze', 'allocate', 'plan'])
  assert.is(planned.done.summary, 'said otherwise')
  const answered = await forkAt(seqOf('analysis.completed', 'analyze'))
  assert.equal(answered.kept, ['analyze'], 'an answer counts from its own event on')
  const executed = await forkAt(seqOf('stage.completed', 'execute'))
  assert.is(executed.done.summary, result.summary)
  const last = await forkAt(seqOf('stage.started', 'inspect'))
  assert.equal(last.done.inspection, result.inspection)
  const task = await forkAt(events.length, { task: 'Say how old the crane is' })
  assert.equal(task.kept, [], 'another task is analysed anew')
  const model2 = await forkAt(seqOf('stage.completed', 'plan'), { prompt: 'The bridge is 90 years old.' })
  assert.equal(model2.kept, ['analyze', 'allocate', 'plan'])
  await after.close()
})

const askedFrom = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'stage.completed' && !event.data.inherited ? [event.stage ?? ''] : []))

test('a fork without a place begins before what its edits reach, and one that changes nothing is refused', async () => {
  const runtime = await createRuntime(
    { model: 'scripted/scripted', components: { analyze: analyze() } },
    { plugins: [modelOf(say)], env: {}, persist: false, workspace: folderOf() },
  )
  const { id } = await runtime.runs.create({ task: TASK, memory: false, instructions: 'Be brief.' })
  await resultOf(runtime, id)
  const events = await eventsOf(runtime, id)
  const before = (type: RunEvent['type'], stage: string): number =>
    (events.find((event) => event.type === type && event.stage === stage)?.seq ?? 0) - 1
  const forkWith = async (edits: ForkEdits) => {
    const { id: forkId } = await runtime.runs.fork(id, { edits })
    await resultOf(runtime, forkId)
    return eventsOf(runtime, forkId)
  }
  const places: [ForkEdits, number, string[]][] = [
    [{ task: 'Say how old the crane is' }, before('stage.started', 'analyze'), []],
    [{ prompt: 'The bridge is 90 years old.' }, before('stage.started', 'analyze'), []],
    [{ topology: 'CENTRALIZED' }, before('stage.started', 'allocate'), ['analyze']],
    [{ tokenBudget: 99_000 }, before('stage.started', 'allocate'), ['analyze']],
    [{ budget: { maxSteps: 50 } }, before('stage.started', 'allocate'), ['analyze']],
    [{ instructions: 'Be thorough.' }, before('model.started', 'execute'), ['analyze', 'allocate', 'plan']],
    [{ model: 'scripted/other' }, before('model.started', 'execute'), ['analyze', 'allocate', 'plan']],
  ]
  for (const [edits, atSeq, kept] of places) {
    const point = findForkPoint(events, edits)
    assert.equal([point?.atSeq, point?.kept.stages], [atSeq, kept], JSON.stringify(edits))
    const log = await forkWith(edits)
    assert.equal([keptIn(log), askedFrom(log)[0]], [kept, STAGES[kept.length]], JSON.stringify(edits))
  }
  const refuse = (input: ForkInput) => runtime.runs.fork(id, input).then(() => '', String)
  for (const input of [
    {},
    { edits: {} },
    { edits: { task: TASK, instructions: 'Be brief.' } },
    { edits: { topology: 'AUTO' } },
  ])
    assert.match(await refuse(input as ForkInput), /\/edits change nothing: a fork needs another task, prompt/)
  assert.match(await refuse({ atSeq: events.length }), /\/atSeq must be an earlier event/)
  assert.match(await refuse({ atSeq: events.length, edits: { model: 'scripted/other' } }), /left out, svc finds it/)
  assert.match(await refuse({ atSeq: events.length, edits: { topology: 'HYBRID' } }), /\/atSeq must be/)
  await runtime.close()
})

test('a fork with another result of a tool begins where its agent asks next', async () => {
  const reads: Script = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? `It says ${JSON.stringify(messages.at(-1)).includes('eleven') ? 'eleven' : 'nine'}.`
      : { toolCalls: [{ tool: 'read_file', args: { path: 'a.txt' } }] }
  const folder = folderOf()
  writeFileSync(join(folder, 'a.txt'), 'nine')
  const runtime = await createRuntime(
    { model: 'scripted/scripted', components: { analyze: analyze() } },
    { plugins: [modelOf(reads)], env: {}, persist: false, workspace: folder },
  )
  const { id } = await runtime.runs.create({ task: 'When does it open? Read a.txt.', memory: false })
  assert.match((await resultOf(runtime, id)).summary, /nine/)
  const call = (await eventsOf(runtime, id)).find(({ type }) => type === 'tool.completed')
  const edits = { toolResults: { [call?.callId ?? '']: 'eleven' } }
  const { id: forkId } = await runtime.runs.fork(id, { edits })
  assert.match((await resultOf(runtime, forkId)).summary, /eleven/)
  const log = await eventsOf(runtime, forkId)
  assert.is(log.filter(({ type }) => type === 'model.started').length, 1, 'the call that asked for it is kept')
  await runtime.close()
})

const firstSeq = (events: readonly RunEvent[], type: RunEvent['type']): number =>
  events.find((event) => event.type === type)?.seq ?? 0

/** Writes a file, which a person is asked about, and says what it was shown. */
const writes: Script = ({ messages }) => {
  const text = JSON.stringify(messages)
  if (messages.at(-1)?.role !== 'tool')
    return { toolCalls: [{ tool: 'write_file', args: { path: 'a.txt', content: 'hi' } }] }
  return `${text.includes('opens at nine') ? 'Nine' : 'Unknown'}; ${text.includes('denied') ? 'not written' : 'written'}.`
}

async function inStore(store: Store): Promise<void> {
  const runtime = await createRuntime(
    { model: 'scripted', components: { analyze: analyze() } },
    { plugins: [modelOf(writes)], env: {}, store, workspace: folderOf() },
  )
  try {
    await runtime.memory.write({
      content: 'The office of the harbour opens at nine.',
      layer: 'long-term',
      kind: 'fact',
    })
    const task = 'When does the office of the harbour open? Write it into a.txt.'
    const { id } = await runtime.runs.create({ task, approval: 'wait' })
    await until(async () => (await runtime.runs.get(id)).status === 'waiting')
    const [approval] = (await runtime.approvals.list()).data
    await runtime.approvals.resolve(approval?.id ?? '', { decision: 'approve' })
    assert.match((await resultOf(runtime, id)).summary, /Nine; written/)
    const events = await eventsOf(runtime, id)
    // After the call, what was approved is done and recorded; before it, the fork asks again.
    const forks = { after: firstSeq(events, 'tool.completed'), before: firstSeq(events, 'plan.created') + 1 }
    for (const [name, atSeq] of Object.entries(forks)) {
      const { id: forkId } = await runtime.runs.fork(id, { atSeq })
      if (name === 'before') {
        await until(async () => (await runtime.runs.get(forkId)).status === 'waiting')
        const asked = (await runtime.approvals.list({ status: 'pending' })).data.find(({ runId }) => runId === forkId)
        await runtime.approvals.resolve(asked?.id ?? '', { decision: 'deny' })
      }
      const { summary } = await resultOf(runtime, forkId)
      assert.match(summary, name === 'after' ? /Nine; written/ : /Nine; not written/, name)
      assert.equal(keptIn(await eventsOf(runtime, forkId)), ['analyze', 'allocate', 'plan'], name)
      assert.equal(await runtime.runs.replay(forkId), { identical: true }, name)
    }
  } finally {
    await runtime.close()
  }
}

test('a fork of a run that a person was asked about, in memory', () => inStore(createMemoryStore()))
test('the same in SQLite', () => inStore(new SqliteStore({ file: join(folderOf(), 'svc.db') })))
const withServer = missing === undefined ? test : test.skip
withServer('the same in PostgreSQL', async () => {
  const server = await startPostgres()
  try {
    await inStore(new PostgresStore({ url: server.newDatabase() }))
  } finally {
    server.close()
  }
})

test.run()
