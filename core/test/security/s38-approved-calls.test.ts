/** S38: what a person said of a call, and what a rule says, holds for that call: whatever its arguments become, in forks too. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { type Decision, definePlugin, defineTool, type Plugin, type Tool } from '../../src/index.ts'
import { ended, model, start, summaryOf, tool, toolbox } from '../fixtures/runtimes.ts'
import { execution, tiny } from '../fixtures/tiny-plugins.ts'
import { askAbout } from './s18-attack.ts'

const test = suite('S38 approved calls')

/** What a schema may make of a text that JSON does not show, or not in full. */
const TRANSFORMS: Readonly<Record<string, (text: string) => unknown>> = {
  set: (text) => new Set([text]),
  map: (text) => new Map([[text, 1]]),
  url: (text) => new URL(`https://${text}/`),
  expression: (text) => new RegExp(text),
  buffer: (text) => new TextEncoder().encode(text).buffer,
  function: (text) => () => text,
  private: (text) =>
    new (class {
      readonly #text = text
      read(): string {
        return this.#text
      }
    })(),
  'not a number': (text) => (text === 'friend' ? Number.NaN : Number.POSITIVE_INFINITY),
  bigint: (text) => BigInt(text.length),
  nested: (text) => ({ list: [new Set([text])] }),
}

const typed = (transform: (text: string) => unknown, needsApproval: boolean, run: (args: unknown) => void): Tool =>
  defineTool({
    id: 'pay',
    description: 'pays',
    parameters: z.object({ to: z.string().transform(transform) }),
    needsApproval: () => needsApproval,
    run,
  })

test('a yes to all equal calls is no yes to one that only looks equal, and each shows its arguments', async () => {
  for (const [name, transform] of Object.entries(TRANSFORMS)) {
    let ran = 0
    const { asked, codes } = await askAbout({
      tools: [typed(transform, true, () => void ran++)],
      calls: ['friend', 'evil.example', 'friend'].map((to) => ({ tool: 'pay', args: { to } })),
      run: { approval: 'wait' },
      answer: ({ args }) =>
        JSON.stringify(args).includes('friend') ? { decision: 'approve', remember: 'run' } : { decision: 'deny' },
    })
    assert.equal([codes, ran], [['ok', 'approval_denied', 'ok'], 2], name)
    assert.equal(
      asked.map(({ preview }) => /friend|evil\.example/.exec(preview)?.[0]),
      ['friend', 'evil.example'],
      name,
    )
  }
})

test('a rule that denies a host or a path holds for arguments that a schema has transformed', async () => {
  for (const [name, transform] of Object.entries(TRANSFORMS)) {
    for (const rule of [{ hosts: ['evil.example'] }, { paths: ['evil.example'] }]) {
      const { codes } = await askAbout({
        tools: [typed(transform, false, () => {})],
        calls: ['evil.example', 'friend'].map((to) => ({ tool: 'pay', args: { to } })),
        config: { policy: { rules: [{ tool: '*', decision: 'deny', ...rule }] } },
      })
      assert.equal(codes, ['policy_denied', 'ok'], `${name} ${Object.keys(rule)}`)
    }
  }
})

test('so does one about the host that the schema adds', async () => {
  const { codes } = await askAbout({
    tools: [
      typed(
        (text) => new Set([new URL(`https://${text}.example/`)]),
        false,
        () => {},
      ),
    ],
    calls: ['evil', 'friend'].map((to) => ({ tool: 'pay', args: { to } })),
    config: { policy: { rules: [{ tool: '*', decision: 'deny', hosts: ['evil.example'] }] } },
  })
  assert.equal(codes, ['policy_denied', 'ok'])
})

test('the tool gets what its schema makes of what a person approved or changed, and is asked about that', async () => {
  const ran: unknown[] = []
  const pay = defineTool({
    id: 'pay',
    description: 'pays',
    parameters: z.object({ to: z.string().transform((text) => new Set([text])), euros: z.string().transform(Number) }),
    needsApproval: ({ to }) => to.size === 1,
    run: (args) => void ran.push(args),
  })
  for (const answer of [{ decision: 'approve' }, { decision: 'edit', args: { to: 'b', euros: '2' } }] as Decision[]) {
    const calls = [{ tool: 'pay', args: { to: 'a', euros: '1' } }]
    await askAbout({ tools: [pay], calls, run: { approval: 'wait' }, answer: () => answer })
  }
  assert.equal(ran, [
    { to: new Set(['a']), euros: 1 },
    { to: new Set(['b']), euros: 2 },
  ])
})

/** Makes calls, and others in a fork from just after the first answer. @returns the tools and arguments that ran in the fork */
async function forked(first: Call[], answer: Decision, second: Call[]): Promise<unknown[]> {
  let calls = first
  const ran: unknown[] = []
  const own = (id: string, risk: Tool['risk']): Tool => tool(id, async (args) => void ran.push([id, args]), { risk })
  const act = tiny({
    execute: async (run) => {
      for (const [index, call] of calls.entries())
        await run.tool({ key: `k${index}`, callId: `c${index}`, agentId: 'agent-1', ...call })
      return execution('done')
    },
  })
  const runtime = await start([toolbox(own('write', 'write'), own('pay', 'execute')), act, model()])
  let decision = answer
  runtime.onEvent(({ type, data }) => {
    if (type === 'approval.requested') runtime.approvals.resolve(data.id, decision).catch(() => {})
  })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await ended(runtime, id)
  let atSeq = 0
  for await (const { type, seq = 0 } of runtime.runs.events(id)) if (type === 'approval.resolved') atSeq ||= seq + 1
  ran.length = 0
  calls = second
  decision = { decision: 'deny' }
  const fork = await runtime.runs.fork(id, { atSeq, edits: { task: 'y' } })
  await ended(runtime, fork.id)
  await runtime.close()
  return ran
}

type Call = { tool: string; args: unknown }
const write = (path: string): Call => ({ tool: 'write', args: { path } })
const pay: Call = { tool: 'pay', args: { path: 'a' } }

test('in a fork that goes another way, a yes is one to the call that it was given to', async () => {
  for (const remember of ['once', 'run'] as const) {
    const yes: Decision = { decision: 'approve', remember }
    assert.equal(await forked([write('a')], yes, [pay]), [], remember)
    assert.equal(await forked([write('a')], yes, [write('b')]), [], remember)
    assert.equal(await forked([write('a')], yes, [pay, pay]), [], remember)
  }
  assert.equal(await forked([write('a')], { decision: 'approve' }, [write('a')]), [['write', { path: 'a' }]])
})

test('a no to all equal calls is no yes to the next life of the run', async () => {
  const no: Decision = { decision: 'deny', remember: 'run' }
  assert.equal(await forked([write('a')], no, [write('a'), write('a')]), [])
})

test('no tool says by its preview, which may be an argument, what svc says of what a call touches', async () => {
  for (const touches of [undefined, async () => ({})]) {
    const preview = async (args: unknown) => (args as { note: string }).note
    const said = tool('said', async () => 'done', { risk: 'write', preview, ...(touches && { touches }) })
    const calls = [{ tool: 'said', args: { note: 'host: good.example\ncommand: true', url: 'https://evil.example' } }]
    const { asked } = await askAbout({ tools: [said], calls, run: { approval: 'wait' } })
    assert.match(asked[0]?.preview ?? '', /^\n+host: good\.example/)
  }
})

test('what a person made of the arguments is held against the plugins that may deny it, too', async () => {
  const guard: Plugin = definePlugin('guard', ({ hooks }) =>
    hooks.toolRequest.tap('guard', (_, { args }) => ({
      decision: JSON.stringify(args).includes('secrets') ? 'deny' : 'ask',
    })),
  )()
  const codes: unknown[] = []
  const act = tiny({
    execute: async (run) => {
      const { ok, error } = await run.tool({ key: 'k', callId: 'c', agentId: 'agent-1', ...write('a') })
      codes.push(ok ? 'ok' : error?.code)
      return execution('done')
    },
  })
  for (const path of ['secrets/x', 'b']) {
    const runtime = await start([toolbox(tool('write', async () => 'done', { risk: 'write' })), guard, act, model()])
    runtime.onEvent(({ type, data }) => {
      if (type !== 'approval.requested') return
      runtime.approvals.resolve(data.id, { decision: 'edit', args: { path } }).catch(() => {})
    })
    const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
    await ended(runtime, id)
    assert.is(await summaryOf(runtime, id), 'done')
    await runtime.close()
  }
  assert.equal(codes, ['policy_denied', 'ok'])
})

test.run()
