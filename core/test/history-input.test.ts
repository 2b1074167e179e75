/** What a person gets to see of forks and recoveries, and what may not be put into them. */
import { createHash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, ForkInput, ResumeInput, SvcError } from '../src/index.ts'
import { createMemoryStore, ProviderError } from '../src/index.ts'
import type { Script } from '../src/testing/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { expire, model, settled, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, plan, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('history input')

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing thrown',
    ({ code, message }: SvcError) => `${code}: ${message}`,
  )

/** Two model calls with a tool call between them. */
const threeCalls = tiny({
  execute: async (run) => {
    const ask = async (n: number): Promise<string> => {
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: `question ${n}` }] }]
      return (await run.model({ key: `model:${n}`, agentId: 'agent-1', model: '', messages, stream: false })).text
    }
    const first = await ask(1)
    const { content } = await run.tool({ key: 'tool:1', agentId: 'agent-1', callId: 'c1', tool: 'look', args: {} })
    return execution(`${first} | ${JSON.stringify(content)} | ${await ask(2)}`)
  },
})

const tools = toolbox(tool('look', async () => 'seen'))

async function startFailing() {
  const broken: Script = () => ({ error: new ProviderError('provider_auth', 'no key', { provider: 'scripted' }) })
  const runtime = await start([threeCalls, tools, model(broken)])
  const { id } = await runtime.runs.create({ task: 'look' })
  await runtime.runs.wait(id)
  return { runtime, id }
}

test('a diff of a fork shows the edited result, and where each of the logs parts from the other', async () => {
  const runtime = await start([threeCalls, tools, model(() => 'x')])
  const { id } = await runtime.runs.create({ task: 'look' })
  await runtime.runs.wait(id)
  const seqOf = async (run: string, type: string): Promise<number> => {
    for await (const event of runtime.runs.events(run)) if (event.type === type) return event.seq ?? 0
    return 0
  }
  const atSeq = await seqOf(id, 'tool.completed')
  const same = await runtime.runs.fork(id, { atSeq })
  await runtime.runs.wait(same.id)
  assert.is((await runtime.runs.diff(id, same.id)).firstDivergence, undefined, 'nothing was changed')
  const edited = await runtime.runs.fork(id, { atSeq, edits: { toolResults: { c1: 'changed' } } })
  await runtime.runs.wait(edited.id)
  const diff = await runtime.runs.diff(id, edited.id)
  assert.match(JSON.stringify(diff.toolCalls), /"before":.*seen.*"after":.*changed/)
  assert.equal(diff.firstDivergence?.seq, [atSeq, await seqOf(edited.id, 'tool.completed')])
  await runtime.close()
})

test('a fork that is given a plan takes the topology of that plan, whatever the run asked for', async () => {
  const runtime = await start([threeCalls, tools, model(() => 'x')])
  const { id } = await runtime.runs.create({ task: 'look', topology: 'SINGLE' })
  await runtime.runs.wait(id)
  const forked = await runtime.runs.fork(id, { atSeq: 1, edits: { plan: { ...plan(2) } } })
  await runtime.runs.wait(forked.id)
  const { status, result } = await runtime.runs.get(forked.id)
  assert.equal([status, (result as ExecutionResult).plan?.topology], ['completed', 'PARALLEL'])
  await runtime.close()
})

test('a fork and a resumption with a field that is none, or of another type, are refused by name', async () => {
  const runtime = await start([threeCalls, tools, model(() => 'x')])
  const { id } = await runtime.runs.create({ task: 'look' })
  await runtime.runs.wait(id)
  const fork = (input: unknown) => refusalOf(runtime.runs.fork(id, input as ForkInput))
  assert.match(
    await fork({ atSeq: 1, edits: { taks: 'x' } }),
    /^validation_failed: fork: \/edits\/taks is not a known field/,
  )
  assert.match(await fork({ atSeq: 1, edits: { task: 7 } }), /^validation_failed: fork: \/edits\/task must be string/)
  assert.match(await fork({ atSeq: '1' }), /^validation_failed: fork: \/atSeq must be integer/)
  assert.match(await fork({}), /^validation_failed: fork: .*atSeq/)
  const resume = (input: unknown) => refusalOf(runtime.runs.resume(id, input as ResumeInput))
  assert.match(await resume({ addBudget: 'much' }), /^validation_failed: resume: \/addBudget must be integer/)
  const failing = await startFailing()
  const late = refusalOf(failing.runtime.runs.resume(failing.id, { input: 'yes' }))
  assert.match(await late, /^invalid_transition: run run_\w+ is failed: it waits for no input/)
  await failing.runtime.close()
  assert.match(await resume({ addBuget: 5 }), /^validation_failed: resume: \/addBuget is not a known field/)
  const listed = refusalOf(runtime.runs.list({ status: 'done' as 'failed' }))
  assert.match(await listed, /^validation_failed: list: \/status must be one of "queued", .*"completed"/)
  assert.is((await runtime.runs.list()).data.length, 1, 'no run was made')
  await runtime.close()
})

test('a file whose checksum is right and whose content is not is refused with line and field', async () => {
  const runtime = await start([threeCalls, tools, model(() => 'x')])
  const { id } = await runtime.runs.create({ task: 'look' })
  await runtime.runs.wait(id)
  const parts: Uint8Array[] = []
  for await (const bytes of runtime.runs.export(id)) parts.push(bytes)
  const lines = Buffer.concat(parts).toString().trimEnd().split('\n').slice(0, -1)
  const elsewhere = await start([threeCalls, tools, model(() => 'x')])
  /** The run with a part of its first such line changed, sealed anew. */
  const doctored = (mark: string, from: string | RegExp, to: string): Promise<string> => {
    const at = lines.findIndex((line) => line.includes(mark))
    const changed = lines.map((line, index) => (index === at ? line.replace(from, to) : line))
    assert.not.equal(changed, lines, mark)
    const body = changed.map((line) => `${line}\n`).join('')
    const end = { lines: changed.length, sha256: createHash('sha256').update(body).digest('hex') }
    const file = Buffer.from(`${body}${JSON.stringify({ end })}\n`)
    return refusalOf(
      elsewhere.runs.import(
        (async function* () {
          yield file
        })(),
      ),
    )
  }
  const refused = /^validation_failed: import: line \d+: /
  for (const [answer, what] of [
    [await doctored('"svcRun"', '"create":{', '"create":{"agents":"x",'), /\/run\/create\/agents must be array/],
    [
      await doctored('"model.completed"', /"usage":\{/, '"usage":7,"was":{'),
      /model\.completed: \/data\/usage must be object/,
    ],
    [await doctored('"tool.completed"', '"durationMs":', '"was":'), /tool\.completed: \/data .*durationMs/],
    [
      await doctored('"run.completed"', '"result":{', '"result":5,"was":{'),
      /run\.completed: \/data\/result is no result/,
    ],
  ] as const) {
    assert.match(answer, refused)
    assert.match(answer, what)
  }
  assert.is((await elsewhere.runs.list()).data.length, 0)
  await Promise.all([runtime.close(), elsewhere.close()])
})

test('recoveries count only those since the last new record', async () => {
  const store = createMemoryStore()
  let asked = 0
  /** A process that dies while it waits for this answer, which never comes. */
  const live = async (diesAt: number) => {
    const { store: doomed, faults } = faultyStore(store)
    const answers: Script = () => (++asked === diesAt ? new Promise(() => {}) : `answer ${asked}`)
    const runtime = await start([threeCalls, tools, model(answers)], { store: doomed, leaseMs: 600_000 })
    const die = async (id: string): Promise<void> => {
      await until(() => asked === diesAt)
      await settled()
      faults.die()
      await expire(store, id)
    }
    return { die, runtime }
  }
  const first = await live(1)
  const { id } = await first.runtime.runs.create({ task: 'look' })
  await first.die(id)
  const second = await live(3)
  await until(() => asked === 3)
  await until(async () => (await store.runs.get(id))?.recoveries === 0) // it has got on since
  await second.die(id)
  const last = await live(0)
  const run = await last.runtime.runs.wait(id)
  assert.is(run.status, 'completed')
  assert.match((run.result as ExecutionResult).summary, /answer 2 \| .* \| answer 4/)
  const counted: number[] = []
  for await (const event of last.runtime.runs.events(id)) {
    if (event.type === 'run.recovered') counted.push(event.data.recoveries)
  }
  assert.equal(counted, [1, 1])
  await last.runtime.close()
})

test.run()
