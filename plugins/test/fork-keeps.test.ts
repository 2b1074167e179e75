/** A fork keeps what was answered by then: only what comes after can differ. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type ExecutionResult, type Plugin, type RunEvent, type Runtime, type Topology } from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findFirstDifference } from '../../core/src/runtime/runs/session/compare-events.ts'
import { analyze, createRuntime, SqliteStore } from '../src/index.ts'

const test = suite('forks keep what was answered')

const made: string[] = []
test.after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'svc-fork-'))
  made.push(path)
  return path
}

const model = (script: Script): Plugin =>
  definePlugin('model', ({ providers }) => providers.add('scripted', scriptedProvider('scripted', script)))()

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

const eventsOf = async (runtime: Runtime, id: string): Promise<RunEvent[]> => {
  const events: RunEvent[] = []
  for await (const event of runtime.runs.events(id, { deltas: false })) events.push(event)
  return events
}

const resultOf = async (runtime: Runtime, id: string): Promise<ExecutionResult> => {
  await runtime.runs.wait(id)
  return (await runtime.runs.result(id)) as ExecutionResult
}

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
      { plugins: [model(say), noting(asked)], env: {}, persist: false },
    )
    const { id } = await runtime.runs.create({ task: TASK, topology, memory: false })
    const result = await resultOf(runtime, id)
    const events = await eventsOf(runtime, id)
    for (let atSeq = 0; atSeq <= events.length; atSeq += 3) {
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
      const again = await runtime.runs.fork(forked.id, { atSeq: Math.min(atSeq, log.length) })
      assert.is((await resultOf(runtime, again.id)).summary, result.summary)
    }
    await runtime.close()
  })
}

test('under another config only what comes after the event changes', async () => {
  const file = join(folder(), 'runs.db')
  const start = (more: Plugin[]): Promise<Runtime> =>
    createRuntime(
      { model: 'scripted/scripted' },
      { plugins: [model(say), ...more], env: {}, store: new SqliteStore({ file }) },
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
  const last = await forkAt(events.length)
  assert.equal(last.done.inspection, result.inspection)
  const task = await forkAt(events.length, { task: 'Say how old the crane is' })
  assert.equal(task.kept, [], 'another task is analysed anew')
  const model2 = await forkAt(seqOf('stage.completed', 'plan'), { prompt: 'The bridge is 90 years old.' })
  assert.equal(model2.kept, ['analyze', 'allocate', 'plan'])
  await after.close()
})

test.run()
