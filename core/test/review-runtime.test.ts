import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Plugin, RunEvent, Touched } from '../src/index.ts'
import { definePlugin, ProviderError } from '../src/index.ts'
import { Ledger } from '../src/runtime/budget/ledger.ts'
import { Policy } from '../src/runtime/calls/policy/policy.ts'
import { type Script, scriptedProvider } from '../src/testing/index.ts'
import { codeOf, model, settled, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const priced = (script: Script): Plugin =>
  definePlugin('model', ({ providers }) =>
    providers.add('scripted', {
      ...scriptedProvider('scripted', script),
      models: async () => [{ id: 'scripted-1', price: { input: 1, output: 1 } }],
      defaultModel: 'scripted-1',
    }),
  )()

const runtime = suite('runtime, looked at twice')

runtime('counts what failed tries cost into the cost of the run', async () => {
  let asked = 0
  const script: Script = () => {
    asked++
    return asked === 1
      ? {
          error: new ProviderError('provider_timeout', 'slow', {
            provider: 'scripted',
            retryable: true,
            retryAfterMs: 1,
          }),
        }
      : { text: 'x', usage: { inputTokens: 10, outputTokens: 10, estimated: false } }
  }
  const svc = await start([tiny(), priced(script)])
  const { id } = await svc.runs.create({ task: 'do it' })
  const run = await svc.runs.wait(id)
  assert.is(run.status, 'completed')
  assert.is(asked, 2)
  assert.ok(run.usage.inputTokens > 10)
  assert.is(Math.round((run.costUsd ?? 0) * 1e6), run.usage.inputTokens + run.usage.outputTokens)
})

runtime('does not call the cost of an unpriced call that failed nothing', async () => {
  const script: Script = () => ({
    error: new ProviderError('provider_timeout', 'slow', { provider: 'scripted', retryable: false }),
  })
  const svc = await start([tiny(), model(script)])
  const { id } = await svc.runs.create({ task: 'do it' })
  const run = await svc.runs.wait(id)
  assert.ok(run.usage.inputTokens > 0)
  assert.is(run.costUsd, null)
})

runtime('keeps to the limit of costs after a call without a price', () => {
  const ledger = new Ledger({ softTokens: 1e6, hardTokens: 1e6, maxCostUsd: 0.001 })
  ledger.charge('agent-1', { inputTokens: 900, outputTokens: 0, estimated: false }, 0.0009)
  ledger.charge('agent-1', { inputTokens: 1, outputTokens: 0, estimated: false }, null)
  assert.throws(
    () => ledger.reserve('agent-1', 100, 500, { input: 1, output: 1 }, new AbortController().signal),
    (error: { code: string }) => error.code === 'budget_exhausted',
  )
  const granted = ledger.reserve('agent-1', 10, 20, { input: 1, output: 1 }, new AbortController().signal)
  assert.is((granted as { outputTokens: number }).outputTokens, 20, 'what is within the limit is granted')
})

runtime('asks again for arguments that a person replaced by others', async () => {
  const paths: unknown[] = []
  const write = tool('write', async (args) => paths.push((args as { path: string }).path), { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      for (const n of [1, 2])
        await run.tool({
          key: `tool:${n}`,
          agentId: 'agent-1',
          callId: `c${n}`,
          tool: 'write',
          args: { path: 'secret' },
        })
      return execution('done')
    },
  })
  const svc = await start([toolbox(write), act, model()])
  let asked = 0
  svc.onEvent(({ type, data }) => {
    if (type !== 'approval.requested') return
    asked++
    const { id } = data as { id: string }
    void svc.approvals.resolve(
      id,
      asked === 1 ? { decision: 'edit', args: { path: 'harmless' } } : { decision: 'deny' },
    )
  })
  const { id } = await svc.runs.create({ task: 'do it', approval: 'wait' })
  await until(async () => (await svc.runs.get(id)).status === 'incomplete')
  assert.is((await svc.runs.get(id)).incomplete?.reason, 'approval_denied')
  assert.equal(paths, ['harmless'])
  assert.is(asked, 2)
})

runtime('calls no tool after its run was cancelled', async () => {
  let called = 0
  let id = ''
  const write = tool('write', async () => called++)
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'write', args: {} })
      return execution('done')
    },
  })
  const stopper = definePlugin('stopper', ({ hooks }) => {
    hooks.toolRequest.tapPromise('stopper', async (_, __, run) => {
      id = run.id
      await svc.runs.cancel(run.id)
      return undefined
    })
  })()
  const svc = await start([stopper, toolbox(write), act, model()])
  await svc.runs.create({ task: 'do it' })
  await until(async () => id !== '' && (await svc.runs.get(id)).status === 'cancelled')
  assert.is(called, 0)
})

runtime('asks a person before a resumed run repeats a tool that was cut off', async () => {
  let called = 0
  const pay = tool('pay', async () => (called++ === 0 ? new Promise(() => {}) : 'paid'), { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'pay', args: {} })
      return execution('done')
    },
  })
  const svc = await start([toolbox(pay), act, model()])
  const { id } = await svc.runs.create({ task: 'do it', approval: 'allow-write' })
  await until(() => called === 1)
  await svc.runs.cancel(id)
  await until(async () => (await svc.runs.get(id)).status === 'cancelled')
  assert.is((await svc.runs.replay(id)).identical !== undefined, true, 'a replay waits for nobody')
  const resumed = await svc.runs.resume(id)
  const waiting = await svc.runs.wait(resumed.id)
  assert.is(waiting.status, 'waiting')
  assert.is(called, 1)
  await svc.runs.resume(resumed.id, { input: { callId: 'c', choice: 'skip' } })
  await until(async () => (await svc.runs.get(resumed.id)).status === 'completed')
  assert.is(called, 1)
})

runtime('replays a run that was cancelled while it waited for a person, and asks nobody', async () => {
  const write = tool('write', async () => 'done', { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'write', args: {} })
      return execution('done')
    },
  })
  const svc = await start([toolbox(write), act, model()])
  const { id } = await svc.runs.create({ task: 'do it', approval: 'wait' })
  await svc.runs.wait(id)
  await svc.runs.cancel(id)
  await until(async () => (await svc.runs.get(id)).status === 'cancelled')
  await svc.runs.replay(id)
  assert.is((await svc.approvals.list({ status: 'pending' })).data.length, 0)
})

runtime('waits as long as one of several questions is open', async () => {
  const write = tool('write', async () => 'done', { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      await Promise.all(
        ['a', 'b'].map((path) =>
          run.tool({ key: path, agentId: `agent-${path}`, callId: path, tool: 'write', args: { path } }),
        ),
      )
      return execution('done')
    },
  })
  const svc = await start([toolbox(write), act, model()])
  const { id } = await svc.runs.create({ task: 'do it', approval: 'wait' })
  const open = async (): Promise<string[]> => {
    const { waiting } = await svc.runs.get(id)
    return waiting !== undefined && 'approvals' in waiting ? waiting.approvals.map((approval) => approval.id) : []
  }
  await until(async () => (await svc.approvals.list({ status: 'pending' })).data.length === 2)
  await until(async () => (await open()).length === 2)
  const [one = '', two = ''] = await open()
  await svc.approvals.resolve(one, { decision: 'approve' })
  await settled()
  assert.is((await svc.runs.get(id)).status, 'waiting')
  assert.equal(await open(), [two])
  await svc.approvals.resolve(two, { decision: 'approve' })
  await until(async () => (await svc.runs.get(id)).status === 'completed')
  assert.is((await svc.runs.get(id)).waiting, undefined)
})

runtime('hands two inputs at once to those who asked for them', async () => {
  const act = tiny({
    execute: async (run) => {
      const given = await Promise.all(
        ['one', 'two'].map((name) =>
          run.ask({
            kind: 'input',
            prompt: name,
            schema: { type: 'object', required: ['name'], properties: { name: { const: name } } },
          }),
        ),
      )
      return execution(JSON.stringify(given.map((each) => (each.kind === 'input' ? each.value : each.kind))))
    },
  })
  const svc = await start([act, model()])
  const { id } = await svc.runs.create({ task: 'do it', approval: 'wait' })
  await until(async () => (await svc.runs.get(id)).status === 'waiting')
  assert.is(await codeOf(svc.runs.resume(id, { input: { name: 'three' } })), 'validation_failed')
  await svc.runs.resume(id, { input: { name: 'one' } })
  await settled()
  assert.is((await svc.runs.get(id)).status, 'waiting')
  await svc.runs.resume(id, { input: { name: 'two' } })
  await until(async () => (await svc.runs.get(id)).status === 'completed')
  assert.is(((await svc.runs.result(id)) as { summary: string }).summary, '[{"name":"one"},{"name":"two"}]')
})

runtime('is not cancelled any more once it has ended', async () => {
  const svc = await start([tiny(), model()])
  svc.onEvent(({ type, runId }) => {
    if (type === 'run.completed') void svc.runs.cancel(runId)
  })
  const { id } = await svc.runs.create({ task: 'do it' })
  await svc.runs.wait(id)
  await settled()
  assert.is((await svc.runs.get(id)).status, 'completed')
  const types: string[] = []
  for await (const { type } of svc.runs.events(id)) types.push(type)
  assert.is(types.at(-1), 'run.completed')
  assert.not.ok(types.includes('run.cancelling'))
})

runtime('logs nothing after the last event of a run', async () => {
  let emitLate = (): void => assert.unreachable()
  const act = tiny({
    execute: async (run) => {
      emitLate = () => run.emit('agent.cancelled', { reason: 'late' }, { agentId: 'agent-1' })
      return execution('done')
    },
  })
  const svc = await start([act, model()])
  const heard: RunEvent[] = []
  svc.onEvent((event) => heard.push(event))
  const { id } = await svc.runs.create({ task: 'do it' })
  await svc.runs.wait(id)
  emitLate()
  await settled()
  assert.is(heard.at(-1)?.type, 'run.completed')
})

runtime('lets no plugin stand behind a mandatory one', async () => {
  const late = definePlugin('late', ({ hooks }) => {
    hooks.execute.tap({ name: 'late', stage: 5_000_000 }, () => execution('late'))
  })()
  const guard: Plugin = {
    name: 'guard',
    mandatory: true,
    apply: ({ hooks }) => void hooks.execute.tap({ name: 'guard', stage: -5_000_000 }, () => execution('guard')),
  }
  const svc = await start([late, guard, tiny(), model()])
  const { id } = await svc.runs.create({ task: 'do it' })
  await svc.runs.wait(id)
  assert.is(((await svc.runs.result(id)) as { summary: string }).summary, 'guard')
})

runtime('lets no later plugin loosen what an earlier one decided about a tool, nor undo its arguments', async () => {
  const paths: unknown[] = []
  const read = tool('read', async (args) => paths.push((args as { path: string }).path))
  const guard = definePlugin('guard', ({ hooks }) => {
    hooks.toolRequest.tap('guard', (_, { args }) =>
      (args as { path: string }).path === 'a'
        ? { decision: 'deny', reason: 'no' }
        : { decision: 'allow', args: { path: 'clean' } },
    )
  })()
  const loose = definePlugin('loose', ({ hooks }) => {
    hooks.toolRequest.tap('loose', () => ({ decision: 'allow' }))
  })()
  const act = tiny({
    execute: async (run) => {
      for (const path of ['a', 'b'])
        await run.tool({ key: path, agentId: 'agent-1', callId: path, tool: 'read', args: { path } })
      return execution('done')
    },
  })
  const svc = await start([toolbox(read), guard, loose, act, model()])
  const { id } = await svc.runs.create({ task: 'do it' })
  await svc.runs.wait(id)
  assert.equal(paths, ['clean'])
})

runtime('lists every message of a long thread and of a copy of a copy', async () => {
  const svc = await start([tiny(), model()])
  const thread = await svc.threads.create({})
  for (let n = 0; n < 102; n++) {
    const { id } = await svc.runs.create({ task: `task ${n}`, mode: 'analyze', threadId: thread.id })
    await svc.runs.wait(id)
  }
  const tasks = async (id: string): Promise<string[]> =>
    (await svc.threads.messages(id)).filter(({ role }) => role === 'user').map(({ content }) => content)
  assert.is((await tasks(thread.id)).at(-1), 'task 101')
  const copy = await svc.threads.copy((await svc.threads.copy(thread.id)).id)
  assert.is((await tasks(copy.id)).length, 102)
})

runtime('allows by a rule only what lies wholly within it, and denies what touches it', () => {
  const decide = (decision: 'allow' | 'deny', args: unknown, more: object, touched?: Touched): string =>
    new Policy({
      managed: undefined,
      config: { rules: [{ tool: 'copy', decision, ...more }], default: decision === 'deny' ? 'allow' : 'ask' },
      options: {},
      workspace: '/ws',
      readOnly: false,
    }).decide({ tool: 'copy', args, touched, risk: 'write', taint: [], mixed: false }).decision
  assert.is(decide('allow', { path: 'docs/a' }, { paths: ['docs/*'] }), 'ask', 'the tool does not say what it touches')
  assert.is(decide('allow', {}, { paths: ['docs/*'] }, { paths: ['docs/a'] }), 'allow')
  assert.is(decide('allow', {}, { paths: ['docs/*'] }, { paths: ['docs/a', 'src/b'] }), 'ask')
  assert.is(decide('deny', { path: 'docs/a', targetPath: 'secret/b' }, { paths: ['secret/*'] }), 'deny')
  assert.is(decide('deny', { paths: ['docs/a', 'secret/b'] }, { paths: ['secret/*'] }), 'deny')
  assert.is(decide('allow', { a: 'https://ok.org/', b: 'https://evil.org/' }, { hosts: ['ok.org'] }), 'ask')
  assert.is(decide('deny', { url: 'https://evil.org./' }, { hosts: ['evil.org'] }), 'deny')
  assert.is(decide('deny', { command: ' rm  -rf x' }, { command: ['rm', '-rf'] }), 'deny')
  const tests = { command: ['node', '--test'] }
  assert.is(decide('allow', {}, tests, { command: ['node', '--test', 'a.js'] }), 'allow')
  assert.is(decide('allow', {}, tests, { command: ['node', '-e', '--test'] }), 'ask')
  assert.is(decide('allow', {}, tests, { command: 'node --test; rm -rf x' }), 'ask', 'a text may hold more commands')
  assert.is(decide('allow', { command: ['node', '--test'] }, tests), 'ask')
  assert.is(decide('allow', {}, { command: [] }, { command: 'node --test' }), 'ask')
})

runtime('matches paths from the workspace, however the workspace and the globs are spelled', () => {
  const denies = (workspace: string, glob: string, path: string): boolean =>
    new Policy({
      managed: undefined,
      config: { rules: [{ tool: '*', decision: 'deny', paths: [glob] }] },
      options: {},
      workspace,
      readOnly: false,
    }).decide({ tool: 'x', args: {}, touched: { paths: [path] }, risk: 'read', taint: [], mixed: false }).decision ===
    'deny'
  for (const workspace of ['/ws', '/ws/', '/a/../ws', '/']) {
    for (const glob of ['secrets', './secrets/', 'secrets/*', 'sec*', '**/key', 'secrets/**/key', '**/a/**/key']) {
      const path = glob.includes('/a/') ? 'secrets/a/key' : 'secrets/key'
      assert.ok(denies(workspace, glob, path), `${workspace} ${glob}`)
      assert.not.ok(denies(workspace, glob, 'docs/secrets.md'), `${workspace} ${glob}`)
    }
  }
  assert.ok(denies('/ws', '/ws/secrets', 'secrets/a/b'))
  assert.ok(denies('/ws', '/ws', 'a'))
  assert.ok(denies('/ws', '~/.ssh', '~/.ssh/id'))
  assert.not.ok(denies('/ws', 'secrets', 'secrets-not/a'))
})

runtime.run()
