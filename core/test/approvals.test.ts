import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createMemoryStore,
  type Decision,
  definePlugin,
  type ExecutionResult,
  type Plugin,
  type RunCreate,
  type Runtime,
  type Tool,
} from '../src/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { codeOf, ended, expire, model, settled, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'
import { wrapStore } from './fixtures/wrapped-store.ts'

const test = suite('approvals')

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
}

/** A tool that writes, and a run that calls it so often. */
function writing(times: number, args: (n: number) => object = () => ({ path: 'a' })) {
  const written: unknown[] = []
  const write: Tool = tool('write', async (given) => written.push(given), { risk: 'write', parameters })
  const act = tiny({
    execute: async (run) => {
      const codes: string[] = []
      for (let n = 1; n <= times; n++) {
        const call = { agentId: 'agent-1', callId: `c${n}`, tool: 'write', args: args(n) }
        const { error } = await run.tool({ key: `t${n}`, ...call })
        codes.push(error?.code ?? 'written')
      }
      return execution(codes.join())
    },
  })
  return { written, plugins: [toolbox(write), act, model()] }
}

/** Answers every question in the same way. @returns how many were asked */
function answerAll(runtime: Runtime, decision: Decision): { asked: number } {
  const count = { asked: 0 }
  runtime.onEvent((event) => {
    if (event.type !== 'approval.requested') return
    count.asked++
    runtime.approvals.resolve(event.data.id, decision).catch(() => {})
  })
  return count
}

test('runs of one seed that begin at the same time ask questions of their own', async () => {
  const { written, plugins } = writing(1)
  const now = Date.now()
  const runtime = await start(plugins, { clock: () => now })
  const create = { task: 'x', approval: 'wait' as const, seed: 7 }
  const runs = await Promise.all([runtime.runs.create(create), runtime.runs.create(create)])
  for (const { id } of runs) assert.is((await runtime.runs.wait(id)).status, 'waiting')
  const asked = (await runtime.approvals.list({ status: 'pending' })).data
  assert.equal(asked.map(({ runId }) => runId).sort(), runs.map(({ id }) => id).sort())
  for (const { id } of asked) await runtime.approvals.resolve(id, { decision: 'approve' })
  for (const { id } of runs) await ended(runtime, id)
  assert.is(written.length, 2)
  await runtime.close()
})

test('a run that waits for somebody takes no place from those that can go on', async () => {
  const { written, plugins } = writing(1)
  const runtime = await start(plugins, { config: { server: { limits: { runningRuns: 1 } } } })
  const waiting = await runtime.runs.create({ task: 'x', approval: 'wait' })
  assert.is((await runtime.runs.wait(waiting.id)).status, 'waiting')
  const other = await runtime.runs.create({ task: 'y', approval: 'allow-write' })
  await ended(runtime, other.id)
  assert.is(written.length, 1)
  const [asked] = (await runtime.approvals.list({ status: 'pending' })).data
  await runtime.approvals.resolve(asked?.id ?? '', { decision: 'approve' })
  await ended(runtime, waiting.id)
  assert.is(written.length, 2)
  await runtime.close()
})

test('a call that a person refused is not asked about again, and the refusal reaches the result with its note', async () => {
  const { written, plugins } = writing(3)
  const runtime = await start(plugins)
  const count = answerAll(runtime, { decision: 'deny', note: 'not on a Friday' })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await ended(runtime, id)
  assert.is(count.asked, 1)
  assert.equal(written, [])
  const result = (await runtime.runs.result(id)) as ExecutionResult
  assert.is(result.status, 'incomplete')
  assert.equal(result.incomplete, { reason: 'approval_denied' })
  assert.ok(result.warnings.some(({ message }) => message.includes('not on a Friday')))
})

test('edited arguments are checked when they are given, and the question stays open', async () => {
  const { written, plugins } = writing(1)
  const runtime = await start(plugins)
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await runtime.runs.wait(id)
  const [asked] = (await runtime.approvals.list({ status: 'pending' })).data
  const answer = (args: unknown) => runtime.approvals.resolve(asked?.id ?? '', { decision: 'edit', args })
  const thrown = await answer({ path: 5 }).catch((error) => error)
  assert.is(thrown.code, 'validation_failed')
  assert.is(thrown.errors[0].path, '/args/path')
  assert.is((await runtime.approvals.get(asked?.id ?? '')).status, 'pending')
  await answer({ path: 'b' })
  await ended(runtime, id)
  assert.equal(written, [{ path: 'b' }])
})

test('a question expires by the clock, also one of months, and counts as denied', async () => {
  for (const days of [1, 60]) {
    let now = Date.now()
    const expiresAt = now + days * 86_400_000
    const store = createMemoryStore({ clock: () => now })
    const settings = { store, clock: () => now }
    const { written, plugins } = writing(1)
    const act = tiny({
      execute: async (run) => {
        const answer = await run.ask({
          kind: 'approval',
          callId: 'c',
          tool: 'write',
          args: {},
          risk: 'write',
          reason: 'to be sure',
          taint: [],
          ...(days > 1 && { expiresAt }),
        })
        return execution(answer.kind)
      },
    })
    const first = await start([plugins[0] as never, act, model()], settings)
    const { id } = await first.runs.create({ task: 'x', approval: 'wait' })
    await first.runs.wait(id)
    await first.close()
    now = expiresAt + 1
    // The expiry is that of the question, not of the process that waits: it has passed when the next one starts.
    const second = await start([plugins[0] as never, act, model()], settings)
    await ended(second, id)
    assert.is(await summaryOf(second, id), 'expired')
    assert.is((await second.approvals.list({ status: 'expired' })).data.length, 1)
    assert.equal(written, [])
    await second.close()
  }
})

test('a run that is removed leaves no question, no argument and no key behind', async () => {
  const { plugins } = writing(1, () => ({ path: 's3cr3t' }))
  const store = createMemoryStore()
  const runtime = await start(plugins, { store })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' }, { idempotencyKey: 'k' })
  await runtime.runs.wait(id)
  await runtime.runs.cancel(id)
  await ended(runtime, id)
  await runtime.runs.delete(id)
  const left = [
    await runtime.approvals.list(),
    await store.events.list(id),
    await store.steps(id),
    await store.commands(id),
    await runtime.runs.list(),
  ]
  assert.not.match(JSON.stringify(left), 's3cr3t')
  const again = await runtime.runs.create({ task: 'another' }, { idempotencyKey: 'k' })
  assert.is.not(again.id, id)
})

test('a question for an input ends at once where nobody is there', async () => {
  const act = tiny({ execute: async (run) => execution((await run.ask({ kind: 'input', prompt: 'your name?' })).kind) })
  const runtime = await start([act, model()])
  const { id } = await runtime.runs.create({ task: 'x' })
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  const { summary, warnings } = (await runtime.runs.result(id)) as ExecutionResult
  assert.is(summary, 'expired')
  assert.is(warnings[0]?.code, 'input_required')
})

/** A tool that asks, and a run in which two agents use it at once. */
function asking() {
  const ask = tool(
    'ask',
    async (args, context) => {
      const resolution = await context.ask({ kind: 'input', prompt: (args as { prompt: string }).prompt })
      return resolution.kind === 'input' ? resolution.value : resolution.kind
    },
    { needsPerson: true },
  )
  const act = tiny({
    execute: async (run) => {
      const call = async (name: string): Promise<string> => {
        const args = { prompt: `name of ${name}?` }
        const { content, error } = await run.tool({ key: name, agentId: name, callId: name, tool: 'ask', args })
        return error?.code ?? JSON.stringify(content)
      }
      return execution((await Promise.all([call('agent-1'), call('agent-2')])).join(' '))
    },
  })
  return [toolbox(ask), act, model()]
}

test('what tools ask people is asked one after the other, also across a crash, and each tool gets its answer', async () => {
  const store = createMemoryStore()
  const first = await start(asking(), { store })
  const { id } = await first.runs.create({ task: 'x', approval: 'wait' })
  assert.equal((await first.runs.wait(id)).waiting, { input: { prompt: 'name of agent-1?' } })
  await first.close()
  const runtime = await start(asking(), { store })
  assert.equal((await runtime.runs.wait(id)).waiting, { input: { prompt: 'name of agent-1?' } })
  await runtime.runs.resume(id, { input: 'Ann' })
  for await (const { type } of runtime.runs.events(id, { after: (await runtime.runs.get(id)).lastSeq })) {
    if (type === 'run.waiting') break
  }
  assert.equal((await runtime.runs.get(id)).waiting, { input: { prompt: 'name of agent-2?' } })
  await runtime.runs.resume(id, { input: { name: 'Bo' } })
  await ended(runtime, id)
  assert.match(await summaryOf(runtime, id), /Ann.*Bo/)
})

test('of two answers to one question at the same moment the first counts, and who gave the other hears of it', async () => {
  for (const isSlow of [true, false]) {
    const store = createMemoryStore()
    let isHeld = false
    // A slow worker takes neither before both are given.
    const slow = wrapStore(store, async (path, args, call) => {
      if (path === 'commands') await until(() => !isHeld)
      return call(args)
    })
    const act = tiny({
      execute: async (run) => execution(JSON.stringify(await run.ask({ kind: 'input', prompt: 'Go on?' }))),
    })
    const worker = await start([act, model()], { store: slow })
    const asking = await start([tiny(), model()], { store, claims: 'none' })
    const { id } = await asking.runs.create({ task: 'x', approval: 'wait' })
    await asking.runs.wait(id)
    isHeld = isSlow
    const answer = (input: unknown) => codeOf(asking.runs.resume(id, { input }))
    const codes = await Promise.all([answer('go on'), answer('cancel'), answer('go on')])
    assert.equal(codes, ['nothing thrown', 'invalid_transition', 'nothing thrown'])
    isHeld = false
    await ended(asking, id)
    assert.match(await summaryOf(asking, id), 'go on')
    await Promise.all([asking.close(), worker.close()])
  }
})

test('a tool that needs a person is offered where somebody answers, and hears of it where nobody does', async () => {
  const [box, act, provider] = asking()
  const offered: string[][] = []
  const look = definePlugin('look', ({ hooks }) => {
    hooks.execute.tap('look', (_answer, _input, run) => void offered.push(run.tools.map(({ id }) => id)))
  })()
  const runtime = await start([box, look, act, provider] as Plugin[])
  const { id } = await runtime.runs.create({ task: 'x' })
  await ended(runtime, id)
  assert.match(await summaryOf(runtime, id), /expired.*expired/)
  const { id: other } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await runtime.runs.wait(other)
  assert.equal(offered, [[], ['ask']])
  await runtime.runs.cancel(other)
})

test('what was denied is made good by the same effect, and by no other', async () => {
  const write = tool('write', async () => 'ok', { risk: 'write', parameters })
  const other = tool('append', async () => 'ok', { risk: 'write', parameters })
  const outcome = async (later: { tool: string; args: object } | undefined): Promise<string> => {
    const act = tiny({
      execute: async (run) => {
        const call = { agentId: 'agent-1', tool: 'write', args: { path: 'a' } }
        await run.tool({ key: 't1', callId: 'c1', ...call })
        if (later !== undefined) await run.tool({ key: 't2', agentId: 'agent-1', callId: 'c2', ...later })
        return execution('done')
      },
    })
    const runtime = await start([toolbox(write, other), act, model()], {
      workspace: '/ws',
      config: {
        policy: {
          rules: [
            { tool: 'write', decision: 'deny' },
            { tool: 'append', decision: 'allow' },
          ],
        },
      },
    })
    const { id } = await runtime.runs.create({ task: 'x' })
    await ended(runtime, id)
    const { status, incomplete } = await runtime.runs.get(id)
    return incomplete?.reason ?? status
  }
  assert.is(await outcome(undefined), 'policy_denied')
  assert.is(await outcome({ tool: 'append', args: { path: 'b' } }), 'policy_denied')
  assert.is(await outcome({ tool: 'append', args: { path: './a' } }), 'completed')
})

test('a denied call that only reads is a warning', async () => {
  const read = tool('read', async () => 'x')
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'read', args: {} })
      return execution('done')
    },
  })
  const runtime = await start([toolbox(read), act, model()], { config: { policy: { default: 'deny' } } })
  const { id } = await runtime.runs.create({ task: 'x' })
  await ended(runtime, id)
  const { status, toolCalls } = (await runtime.runs.result(id)) as ExecutionResult
  assert.is(status, 'completed')
  assert.is(toolCalls.denied, 1)
})

/** A run that waits for an approval, whose process is gone. */
async function leftWaiting(create: Partial<RunCreate> = {}) {
  const store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  const { plugins } = writing(1)
  const first = await start(plugins, { store: mortal })
  const { id } = await first.runs.create({ task: 'x', approval: 'wait', ...create })
  await first.runs.wait(id)
  faults.die()
  await expire(store, id)
  const [asked] = (await store.approvals.list({ status: 'pending' })).data
  assert.ok(asked)
  return { store, plugins, id, approvalId: asked?.id ?? '' }
}

const ends: Record<string, (runtime: Runtime, id: string) => Promise<unknown>> = {
  cancelled: (runtime, id) => runtime.runs.cancel(id),
  failed: async () => {},
}

for (const [status, end] of Object.entries(ends)) {
  test(`the questions of a run end with it: one that is ${status} after its process died asks nothing more`, async () => {
    const { store, plugins, id, approvalId } = await leftWaiting()
    // A second life whose plan is another fails by what the log says.
    const broken = tiny({ execute: async () => Promise.reject(new Error('broken')) })
    const next = await start(status === 'failed' ? [plugins[0] as Plugin, broken, model()] : plugins, {
      store,
      claims: status === 'failed' ? 'all' : 'own',
    })
    await end(next, id)
    await ended(next, id)
    assert.is((await next.runs.get(id)).status, status)
    assert.equal((await next.approvals.list({ status: 'pending' })).data, [])
    assert.is((await next.approvals.get(approvalId)).status, 'expired')
    assert.is(await codeOf(next.approvals.resolve(approvalId, { decision: 'approve' })), 'approval_closed')
    const types: string[] = []
    for await (const { type } of next.runs.events(id)) types.push(type)
    assert.is(types.filter((type) => type === 'approval.expired').length, 1)
    assert.is(types.at(-1), `run.${status}`)
    await next.runs.delete(id)
    assert.is(await codeOf(next.approvals.resolve(approvalId, { decision: 'approve' })), 'approval_not_found')
    assert.equal((await next.approvals.list()).data, [])
    await next.close()
  })
}

test('what an earlier process asked, and the config of a later one allows, is asked no more', async () => {
  const store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  const { plugins } = writing(1)
  const first = await start(plugins, { store: mortal })
  const { id } = await first.runs.create({ task: 'x', approval: 'wait' })
  await until(async () => (await first.runs.get(id)).status === 'waiting')
  faults.die()
  await expire(store, id)
  let finish = (): void => {}
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  const slow = tool('write', () => held, { risk: 'write', parameters })
  const [, ...rest] = plugins
  const config = { policy: { rules: [{ tool: 'write', decision: 'allow' as const }] } }
  const second = await start([toolbox(slow), ...rest], { store, config })
  await until(async () => (await store.steps(id)).some(({ key, state }) => key === 't1' && state === 'begun'))
  const run = await second.runs.get(id)
  assert.equal([run.status, run.waiting], ['running', undefined])
  assert.is((await second.approvals.list()).data.at(0)?.status ?? 'expired', 'expired')
  finish()
  await ended(second, id)
  assert.is((await second.runs.get(id)).status, 'completed')
  await second.close()
})

test('a question that an older version left open with an ended run is answered no more', async () => {
  const { store, plugins, id, approvalId } = await leftWaiting()
  const [claimed] = await store.claim('old', { limit: 1, ttlMs: 1_000, only: id })
  assert.ok(claimed)
  if (claimed) await store.commit(claimed.lease, { run: { status: 'cancelled', result: {} as never } })
  const runtime = await start(plugins, { store })
  const error = await runtime.approvals.resolve(approvalId, { decision: 'approve' }).catch((thrown) => thrown)
  assert.is(error.code, 'approval_closed')
  assert.match(error.message, /of a run that is cancelled/)
  assert.equal((await runtime.approvals.list({ status: 'pending' })).data, [])
  await runtime.close()
})

test('who waits for a run that was answered hears of what it asks instead, before it has taken the answer', async () => {
  const { store, plugins, id, approvalId } = await leftWaiting()
  const service = await start(plugins, { store, claims: 'none' })
  await service.approvals.resolve(approvalId, { decision: 'approve' })
  const waiting = service.runs.wait(id)
  await settled()
  // As a process does under whose config the run parts from its records: its status stays the same.
  const [claimed] = await store.claim('another process', { limit: 1, ttlMs: 60_000, only: id })
  const input = { prompt: 'Shall it go on?' }
  const event = { v: 1, type: 'run.waiting', time: new Date().toISOString(), runId: id } as const
  if (claimed === undefined) throw new Error('it could not be claimed')
  await store.commit(claimed.lease, {
    events: [{ ...event, data: { reason: 'replay_diverged', input } }],
    run: { status: 'waiting', waiting: { input } },
  })
  assert.equal((await waiting).waiting, { input })
  await service.close()
})

test.run()
