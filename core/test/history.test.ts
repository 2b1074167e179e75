import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, Runtime, Store, SvcError } from '../src/index.ts'
import { createMemoryStore, ProviderError } from '../src/index.ts'
import type { Script } from '../src/testing/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { codeOf, ended, expire, model, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

/** Three model calls one after the other; says what each answered. */
const threeCalls = tiny({
  execute: async (run) => {
    const texts: string[] = []
    for (let n = 1; n <= 3; n++) {
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: `question ${n}` }] }]
      texts.push((await run.model({ key: `model:${n}`, agentId: 'agent-1', model: '', messages, stream: false })).text)
    }
    return execution(texts.join(' | '))
  },
})

const history = suite('history')

history('resumes a failed run from what was recorded and asks only for the rest', async () => {
  let asked = 0
  let isUp = false
  const script: Script = () => {
    asked++
    if (asked > 2 && !isUp)
      return { error: new ProviderError('provider_auth', 'the key expired', { provider: 'scripted' }) }
    return `answer ${asked}`
  }
  const runtime = await start([threeCalls, model(script)])
  const { id } = await runtime.runs.create({ task: 'three questions' })
  assert.is((await runtime.runs.wait(id)).status, 'failed')
  isUp = true
  const resumed = await runtime.runs.resume(id)
  assert.is(resumed.parentRunId, id)
  await runtime.runs.wait(resumed.id)
  const result = (await runtime.runs.result(resumed.id)) as ExecutionResult
  assert.is(result.summary, 'answer 1 | answer 2 | answer 4')
  assert.is(asked, 4)
  assert.is(await codeOf(runtime.runs.resume(resumed.id)), 'invalid_transition')
})

history(
  'replays runs that failed, were cancelled or timed out as far as they went, and none that still runs',
  async () => {
    let asked = 0
    const script: Script = (request) => {
      asked++
      const text = JSON.stringify(request.messages)
      if (text.includes('question 2')) {
        if (asked === 2)
          return { error: new ProviderError('provider_auth', 'the key expired', { provider: 'scripted' }) }
        return new Promise(() => {})
      }
      return `answer ${asked}`
    }
    const runtime = await start([threeCalls, model(script)])
    const failed = await runtime.runs.create({ task: 'three questions' })
    assert.is((await runtime.runs.wait(failed.id)).status, 'failed')
    assert.equal(await runtime.runs.replay(failed.id), { identical: true })
    assert.is(asked, 2, 'a replay asks nothing')

    const cancelled = await runtime.runs.create({ task: 'three questions' })
    assert.is(await codeOf(runtime.runs.replay(cancelled.id)), 'run_not_finished')
    await until(() => asked === 4)
    await runtime.runs.cancel(cancelled.id)
    assert.is((await runtime.runs.wait(cancelled.id)).status, 'cancelled')
    assert.equal(await runtime.runs.replay(cancelled.id), { identical: true })
    assert.is(asked, 4)

    const late = await runtime.runs.create({ task: 'three questions', budget: { maxWallMs: 200 } })
    assert.is((await runtime.runs.wait(late.id)).error?.code, 'run_timeout')
    const before = asked // on a busy machine the time may be up before it has asked twice
    assert.equal(await runtime.runs.replay(late.id), { identical: true })
    assert.is(asked, before)
    await runtime.close()
  },
)

history('says where a replay goes otherwise, and neither calls nor records anything new in it', async () => {
  let [asked, recorded, isOther] = [0, 0, false]
  const act = tiny({
    execute: async (run) => {
      if (isOther) await run.record('more', async () => ++recorded).catch(() => {})
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'question' }] }]
      const key = isOther ? 'model:2' : 'model:1'
      return execution((await run.model({ key, agentId: 'agent-1', model: '', messages, stream: false })).text)
    },
  })
  const runtime = await start([act, model(() => `answer ${++asked}`)])
  const { id } = await runtime.runs.create({ task: 'a question' })
  await runtime.runs.wait(id)
  isOther = true
  const { identical, firstDivergence } = await runtime.runs.replay(id)
  assert.is(identical, false)
  assert.is((firstDivergence?.expected as { type: string } | null)?.type, 'model.completed')
  assert.equal([asked, recorded], [1, 0])
  await runtime.close()
})

history('edits only results of tool calls that were made before the fork', async () => {
  const act = tiny({
    execute: async (run) => {
      const { content } = await run.tool({ key: 'tool:1', agentId: 'agent-1', callId: 'c1', tool: 'echo', args: {} })
      return execution(JSON.stringify(content))
    },
  })
  const runtime = await start([toolbox(tool('echo', async () => 'first')), act, model()])
  const { id } = await runtime.runs.create({ task: 'echo' })
  const { lastSeq } = await runtime.runs.wait(id)
  const fork = (atSeq: number, toolResults: Record<string, unknown>) =>
    runtime.runs.fork(id, { atSeq, edits: { toolResults } })
  const forked = await fork(lastSeq, { c1: 'second' })
  await runtime.runs.wait(forked.id)
  assert.match(await summaryOf(runtime, forked.id), 'second')
  assert.is(await codeOf(fork(lastSeq, { c2: 'second' })), 'validation_failed')
  assert.is(await codeOf(fork(1, { c1: 'second' })), 'validation_failed')
  await runtime.close()
})

const exported = async (runtime: Runtime, id: string): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const bytes of runtime.runs.export(id)) parts.push(bytes)
  return Buffer.concat(parts)
}

/** In pieces that end anywhere. */
async function* piecesOf(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

history('exports a run as JSON Lines, and another runtime replays, forks and reads what it imports', async () => {
  let asked = 0
  const script: Script = () => `answer ${++asked}`
  const runtime = await start([threeCalls, model(script)])
  const { id } = await runtime.runs.create({ task: 'three questions' })
  const run = await runtime.runs.wait(id)
  const file = await exported(runtime, id)
  const lines = file.toString().trimEnd().split('\n')
  const events = lines.map((line) => JSON.parse(line)).filter(({ seq }) => seq !== undefined)
  assert.equal(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  await runtime.close()

  const elsewhere = await start([threeCalls, model(script)])
  const imported = { ...run, result: { ...(run.result as object), tainted: true } }
  assert.equal(await elsewhere.runs.import(piecesOf(file)), imported)
  assert.equal(await elsewhere.runs.result(id), imported.result)
  assert.equal(await elsewhere.runs.replay(id), { identical: true })
  assert.is(asked, 3, 'nothing is asked again')
  assert.equal(await elsewhere.runs.import(piecesOf(file)), imported, 'once more changes nothing')
  assert.is((await elsewhere.runs.list()).data.length, 1)
  const seq = events.find(({ type }) => type === 'model.completed').seq
  const fork = await elsewhere.runs.fork(id, { atSeq: seq })
  await elsewhere.runs.wait(fork.id)
  assert.is(await summaryOf(elsewhere, fork.id), 'answer 1 | answer 4 | answer 5')
  assert.equal(await exported(elsewhere, id), file)
  await elsewhere.close()
})

history('imports nothing into a store that keeps no steps of it', async () => {
  const runtime = await start([threeCalls, model(() => 'x')])
  const { id } = await runtime.runs.create({ task: 'three questions' })
  await runtime.runs.wait(id)
  const store = createMemoryStore()
  const create = store.create.bind(store)
  store.create = (row, events, idempotency) => create(row, events, idempotency)
  const elsewhere = await start([threeCalls, model(() => 'x')], { store })
  assert.is(await codeOf(elsewhere.runs.import(runtime.runs.export(id))), 'store_unavailable')
  assert.is(await codeOf(elsewhere.runs.get(id)), 'run_not_found')
  await Promise.all([runtime.close(), elsewhere.close()])
})

history('refuses to import what is no whole run of this version, and says which line is wrong', async () => {
  const runtime = await start([threeCalls, model(() => 'x')])
  const { id } = await runtime.runs.create({ task: 'three questions' })
  await runtime.runs.wait(id)
  const file = (await exported(runtime, id)).toString()
  const elsewhere = await start([threeCalls, model(() => 'x')])
  const refused = async (text: string): Promise<string> => {
    try {
      await elsewhere.runs.import(piecesOf(Buffer.from(text)))
    } catch (thrown) {
      return `${(thrown as SvcError).code}: ${(thrown as SvcError).message}`
    }
    return 'imported'
  }
  const lines = file.trimEnd().split('\n')
  for (const [text, expected] of [
    ['', /^validation_failed: import: line 1: the file is empty/],
    ['hello', /^validation_failed: import: line 1: this is no JSON/],
    ['[1]\n', /^validation_failed: import: line 1: this is no JSON object/],
    ['{"name":"x"}\n', /^validation_failed: import: line 1: this is no exported run/],
    [file.slice(0, -40), /^validation_failed: import: line \d+: this is no JSON: the file was cut/],
    [`${lines.slice(0, -1).join('\n')}\n`, /^validation_failed: import: line \d+: the file ends before the run does/],
    [`${lines.filter((_, n) => n !== 4).join('\n')}\n`, /^validation_failed: import: line 5: \/seq is 4/],
    [
      file.replace('"text":"x"', '"text":"y"'),
      /^validation_failed: import: line \d+: the file is not as it was written/,
    ],
    [
      file.replace('{"svcRun":2', '{"svcRun":3'),
      /^validation_failed: import: line 1: the run was exported by a newer svc/,
    ],
    [file.replaceAll(id, 'run_1'), /^validation_failed: import: line 1: \/run\/id/],
    [file.replace('"status":"completed"', '"status":"running"'), /^run_not_finished: import: run run_/],
    [`${file}{}\n`, /^validation_failed: import: line \d+: something follows/],
  ] as const) {
    assert.match(await refused(text), expected)
  }
  assert.is((await elsewhere.runs.list()).data.length, 0, 'nothing of it is kept')
  await Promise.all([runtime.close(), elsewhere.close()])
})

history('gives the same run for the same idempotency key, and refuses another body under it', async () => {
  let asked = 0
  const runtime = await start([tiny(), model(() => `answer ${++asked}`)])
  const first = await runtime.runs.create({ task: 'once' }, { idempotencyKey: 'k' })
  const second = await runtime.runs.create({ task: 'once' }, { idempotencyKey: 'k' })
  assert.is(first.id, second.id)
  await runtime.runs.wait(first.id)
  assert.is(asked, 1)
  assert.is(await codeOf(runtime.runs.create({ task: 'twice' }, { idempotencyKey: 'k' })), 'idempotency_mismatch')
})

/** A run that calls one tool of risk write, cut off while the tool was running. */
async function cutOffInTool(choice: object): Promise<{ summary: string; calls: number; store: Store }> {
  const store = createMemoryStore()
  const { store: doomed, faults } = faultyStore(store)
  let calls = 0
  const write = async () => {
    calls++
    if (calls === 1) {
      faults.die()
      await new Promise(() => {})
    }
    return 'written'
  }
  const act = tiny({
    execute: async (run) => {
      const { ok, content } = await run.tool({
        key: 'tool:1',
        agentId: 'agent-1',
        callId: 'c1',
        tool: 'write_it',
        args: {},
      })
      return execution(`${ok} ${JSON.stringify(content)}`)
    },
  })
  // For half a second the process that "died" stays.
  const tools = toolbox(tool('write_it', write, { risk: 'write', timeoutMs: 500 }))
  const first = await start([tools, act, model(() => 'x')], { store: doomed })
  const { id } = await first.runs.create({ task: 'write', approval: 'allow-write' })
  await until(() => calls === 1)
  await expire(store, id)
  const second = await start([tools, act, model(() => 'x')], { store })
  const waiting = await second.runs.wait(id)
  assert.is(waiting.status, 'waiting')
  assert.match(waiting.waiting?.input?.prompt ?? '', 'unknown whether write_it was run')
  await second.runs.resume(id, { input: choice })
  await ended(second, id)
  const summary = await summaryOf(second, id)
  await second.close()
  return { summary, calls, store }
}

history('lets a person say what became of a tool call that a crash cut off', async () => {
  const retried = await cutOffInTool({ callId: 'c1', choice: 'retry' })
  assert.match(retried.summary, 'true')
  assert.is(retried.calls, 2)
  const skipped = await cutOffInTool({ callId: 'c1', choice: 'skip' })
  assert.match(skipped.summary, 'was skipped')
  assert.is(skipped.calls, 1)
  const told = await cutOffInTool({ callId: 'c1', choice: 'result', result: 'it was written' })
  assert.match(told.summary, 'it was written')
  assert.is(told.calls, 1)
})

history.run()
