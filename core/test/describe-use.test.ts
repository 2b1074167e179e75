import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Plugin, RuntimeSettings } from '../src/index.ts'
import { definePlugin, ProviderError, ToolError } from '../src/index.ts'
import { type Script, scriptedProvider } from '../src/testing/index.ts'
import { start, tool, toolbox } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const model = (script: Script): Plugin =>
  definePlugin('model', ({ providers }) =>
    providers.add('scripted', { ...scriptedProvider('scripted', script), maxRetries: 2 }),
  )()

const unreached = (): ProviderError =>
  new ProviderError('provider_unavailable', 'nobody listens', { provider: 'scripted', retryable: true })

async function startUsed(plugins: Plugin[], settings: Partial<RuntimeSettings> = {}) {
  const runtime = await start(plugins, settings)
  const run = async (): Promise<string> => {
    const { id } = await runtime.runs.create({ task: 'do it' })
    await runtime.runs.wait(id)
    return id
  }
  const health = async () => (await runtime.describe()).providers.find(({ id }) => id === 'scripted')?.health
  return { runtime, run, health }
}

const test = suite('what describe() says of use and policy')

test('a provider is unused, ok or failing as its last call was, and a replay counts for nothing', async () => {
  let isBroken = false
  const { runtime, run, health } = await startUsed([
    tiny(),
    model(() =>
      isBroken
        ? { error: new ProviderError('provider_auth', 'the key expired', { provider: 'scripted' }) }
        : { text: 'an answer' },
    ),
  ])
  assert.equal(await health(), { state: 'unused', calls: 0, failures: 0 })
  const id = await run()
  await runtime.runs.replay(id)
  const { lastUsedAt = '', ...ok } = (await health()) ?? {}
  assert.equal(ok, { state: 'ok', calls: 1, failures: 0 })
  assert.ok(Date.parse(lastUsedAt) > 0)
  isBroken = true
  await run()
  const { lastUsedAt: _, ...failing } = (await health()) ?? {}
  const lastError = { code: 'provider_auth', message: 'the key expired', retryable: false }
  assert.equal(failing, { state: 'failing', calls: 2, failures: 1, lastError })
  isBroken = false
  await run()
  const { lastUsedAt: __, ...again } = (await health()) ?? {}
  assert.equal(again, { state: 'ok', calls: 3, failures: 1, lastError })
  await runtime.close()
})

test('a provider that cannot be reached rests, and a run that is cancelled says nothing of it', async () => {
  const now = Date.now()
  const resting = await startUsed([tiny(), model(() => ({ error: unreached() }))], { clock: () => now })
  await resting.run()
  const health = await resting.health()
  assert.is(health?.state, 'resting')
  assert.is(health?.failures, 1)
  assert.is(health?.lastError?.code, 'provider_unavailable')
  await resting.runtime.close()

  let isAsked: () => void = () => {}
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const slow = await startUsed([
    tiny(),
    model(() => {
      isAsked()
      return new Promise(() => {})
    }),
  ])
  const { id } = await slow.runtime.runs.create({ task: 'do it' })
  await asked
  await slow.runtime.runs.cancel(id)
  assert.is((await slow.runtime.runs.wait(id)).status, 'cancelled')
  assert.is((await slow.health())?.state, 'unused')
  await slow.runtime.close()
})

test('of a tool the calls, the failures and the refusals are counted', async () => {
  const tools = [
    tool('good', async () => 'fine'),
    tool('bad', async () => {
      throw new ToolError('tool_failed', 'it broke')
    }),
    tool('wipe', async () => 'gone', { risk: 'destructive' }),
  ]
  const act = tiny({
    execute: async (run) => {
      for (const { id } of tools)
        await run.tool({ key: `tool:${id}`, agentId: 'agent-1', callId: id, tool: id, args: {} })
      return execution('done')
    },
  })
  const { runtime, run } = await startUsed([toolbox(...tools), act, model(() => 'x')])
  await run()
  const used = Object.fromEntries((await runtime.describe()).tools.map(({ id, use }) => [id, use]))
  assert.equal(used.good, { calls: 1, failures: 0, denied: 0 })
  assert.is(used.bad?.failures, 1)
  assert.is(used.bad?.lastError?.message, 'it broke')
  assert.is(used.wipe?.calls, 0)
  assert.is(used.wipe?.denied, 1)
  assert.is(used.wipe?.lastError?.code, 'policy_denied')
  await runtime.close()
})

test('the policy in force names the source of each rule, in the order in which they are asked', async () => {
  const own = { tool: 'write_file', decision: 'allow' as const, paths: ['docs/**'] }
  const flag = { tool: 'http', decision: 'deny' as const }
  const bound = { tool: 'run_*', decision: 'ask' as const }
  const folder = { tool: 'edit', decision: 'deny' as const }
  const { runtime } = await startUsed([tiny(), model(() => 'x')], {
    config: { policy: { default: 'ask', rules: [own, flag], sandbox: 'bwrap' } },
    origin: { '/policy/rules/0': '/home/me/svc.json', '/policy/rules/1': 'flags', '/policy/default': '/p/svc.json' },
    managed: { policy: { default: 'deny', rules: [bound] } },
    tightening: { source: '/p/untrusted.json', policy: { rules: [folder] } },
    workspace: '/p',
  })
  const { builtIn, ...policy } = (await runtime.describe()).policy
  assert.equal(policy, {
    default: 'deny',
    defaultSource: 'managed',
    rules: [
      { rule: own, source: '/home/me/svc.json' },
      { rule: flag, source: 'flags' },
      { rule: bound, source: 'managed' },
      { rule: folder, source: '/p/untrusted.json' },
    ],
    sandbox: 'bwrap',
    root: '/p',
  })
  assert.match(builtIn[0] ?? '', /read: allow/)
  assert.match(builtIn[1] ?? '', /write: deny/)
  await runtime.close()

  const plain = await startUsed([tiny(), model(() => 'x')])
  const { default: unset, rules, builtIn: lines } = (await plain.runtime.describe()).policy
  assert.is(unset, undefined)
  assert.equal(rules, [])
  assert.match(
    lines.join('\n'),
    /read: allow.*\n.*write: ask.*\n.*network: ask.*\n.*execute: ask.*\n.*destructive: deny/,
  )
  await plain.runtime.close()
})

test.run()
