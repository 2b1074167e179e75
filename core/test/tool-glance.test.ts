import { setTimeout as takeTime } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Confinement, RunEvent, Runtime, Tool } from '../src/index.ts'
import { ended, model, start, tool, toolbox } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('what a tool says before it is called')

/** A run that calls tools one after the other, and what became of each. */
async function run(
  tools: Tool[],
  options: object,
  config: object = {},
): Promise<{ events: RunEvent[]; codes: string[] }> {
  const codes: string[] = []
  const act = tiny({
    execute: async (context) => {
      for (const [index, { id }] of tools.entries()) {
        const call = { agentId: 'agent-1', callId: `c${index}`, tool: id, args: { path: 'a' } }
        const { error } = await context.tool({ key: `t${index}`, ...call })
        codes.push(error?.code ?? 'done')
      }
      return execution('done')
    },
  })
  const runtime: Runtime = await start([toolbox(...tools), act, model()], { config })
  const events: RunEvent[] = []
  runtime.onEvent((event) => {
    events.push(event)
    if (event.type === 'approval.requested') {
      runtime.approvals.resolve(event.data.id, { decision: 'approve' }).catch(() => {})
    }
  })
  const { id } = await runtime.runs.create({ task: 'x', ...options })
  await ended(runtime, id)
  await runtime.close()
  return { events, codes }
}

const previewsOf = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'approval.requested' ? [event.data.preview] : []))

test('an approval shows the preview of the tool; a tool without one, and one that fails, shows the arguments', async () => {
  const write = async (): Promise<string> => 'written'
  const tools = [
    tool('diff', write, { risk: 'write', preview: async () => '-old\n+new' }),
    tool('plain', write, { risk: 'write' }),
    tool('broken', write, { risk: 'write', preview: () => Promise.reject(new Error('no')) }),
    tool('long', write, { risk: 'write', preview: async () => 'x'.repeat(30_000) }),
  ]
  const { events, codes } = await run(tools, { approval: 'wait' })
  assert.equal(codes, ['done', 'done', 'done', 'done'])
  const [diff, plain, broken, long = ''] = previewsOf(events)
  assert.is(diff, '-old\n+new')
  assert.is(plain, 'plain {\n  "path": "a"\n}')
  assert.is(broken, 'broken {\n  "path": "a"\n}')
  assert.ok(long.length < 21_000 && long.endsWith('20000 of 30000 characters are shown'))
})

test('a call that always asks is asked about whatever is allowed, and knows when it was approved', async () => {
  const approved: unknown[] = []
  const write: Tool['run'] = async (_, { isApproved }) => approved.push(isApproved)
  const tools = [
    tool('asks', write, { risk: 'write', alwaysAsks: async () => '"a" decides what is run' }),
    tool('other', write, { risk: 'write', alwaysAsks: async () => undefined }),
  ]
  const rules = [{ tool: '*', decision: 'allow' as const }]
  assert.equal((await run(tools, { approval: 'allow-write' })).codes, ['approval_required', 'done'])
  assert.equal((await run(tools, {}, { policy: { rules } })).codes, ['approval_required', 'done'])
  const there = await run(tools, { approval: 'wait', allowWrites: true })
  assert.equal([there.codes, previewsOf(there.events).length], [['done', 'done'], 1])
  approved.length = 0
  const { events, codes } = await run(tools, { approval: 'wait' }, { policy: { rules } })
  assert.equal(codes, ['done', 'done'])
  assert.is(previewsOf(events).length, 1)
  assert.equal(approved, [true, false])
  const denied = [{ tool: '*', decision: 'deny' as const }]
  assert.equal((await run(tools, { approval: 'wait' }, { policy: { rules: denied } })).codes, [
    'policy_denied',
    'policy_denied',
  ])
})

test('a look that takes long is waited for: an allowed call is made, and one that is not allowed is judged by it', async () => {
  const slowly = async <Answer>(answer: Answer): Promise<Answer> => takeTime(2_500, answer)
  const write = async (): Promise<string> => 'written'
  const tools = [
    tool('touching', write, { risk: 'write', touches: () => slowly({ paths: ['a'] }) }),
    tool('asking', write, { risk: 'write', alwaysAsks: () => slowly(undefined) }),
    tool('closed', write, { risk: 'write', touches: () => slowly({ paths: ['secret'] }) }),
  ]
  const rules = [
    { tool: 'touching', decision: 'allow' as const, paths: ['a'] },
    { tool: 'asking', decision: 'allow' as const },
    { tool: 'closed', decision: 'deny' as const, paths: ['secret'] },
  ]
  const found = await Promise.all(tools.map((each) => run([each], {}, { policy: { rules } })))
  assert.equal(
    found.map(({ codes }) => codes[0]),
    ['done', 'done', 'policy_denied'],
  )
  assert.equal(
    found.flatMap(({ events }) => previewsOf(events)),
    [],
  )
})

test('a look that does not end within the time of its tool fails the call, which is neither asked about nor denied', async () => {
  const never = (): Promise<never> => new Promise(() => {})
  const ran: string[] = []
  const tools = [
    tool('touching', async () => ran.push('touching'), { timeoutMs: 20, touches: never }),
    tool('asking', async () => ran.push('asking'), { timeoutMs: 20, alwaysAsks: never }),
  ]
  for (const approval of ['deny', 'wait', 'allow-write']) {
    const { events, codes } = await run(tools, { approval })
    assert.equal(codes, ['tool_timeout', 'tool_timeout'])
    assert.equal([events.filter(({ type }) => type === 'tool.denied'), previewsOf(events), ran], [[], [], []])
  }
})

test('a tool that does not say where it would run fails its call, and one that throws there fails it too', async () => {
  const tools = [
    tool('silent', async () => 'ran', { timeoutMs: 20, confinement: () => new Promise(() => {}) }),
    tool('broken', async () => 'ran', { confinement: () => Promise.reject(new Error('boom')) }),
    tool('sound', async () => 'ran', { confinement: async () => ({ sandbox: 'none', network: false }) }),
  ]
  const { codes } = await run(tools, { approval: 'wait' })
  assert.equal(codes, ['tool_timeout', 'tool_failed', 'done'])
})

test('a run that is cancelled while a tool looks at a call ends, and the look hears of it', async () => {
  let heard: (signal: AbortSignal) => void = () => {}
  const looking = new Promise<AbortSignal>((resolve) => {
    heard = resolve
  })
  const slow = tool('slow', async () => 'done', {
    touches: (_, { signal }) => {
      heard(signal)
      return new Promise(() => {})
    },
  })
  const act = tiny({
    execute: async (context) => {
      await context.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'slow', args: {} })
      return execution('done')
    },
  })
  const runtime = await start([toolbox(slow), act, model()])
  const { id } = await runtime.runs.create({ task: 'x' })
  const signal = await looking
  await runtime.runs.cancel(id)
  await ended(runtime, id)
  assert.equal([(await runtime.runs.get(id)).status, signal.aborted], ['cancelled', true])
  await runtime.close()
})

test('a program that reaches the network gives untrusted output, and nothing out of an agent that has read both', async () => {
  const program = (id: string, confinement: Confinement): Tool =>
    tool(id, async () => 'output', { risk: 'execute', confinement: async () => confinement })
  const tools = [
    program('test', { sandbox: 'bwrap', network: false }),
    program('install', { sandbox: 'bwrap', network: true }),
    program('upload', { sandbox: 'bwrap', network: true }),
  ]
  const { events, codes } = await run(tools, { approval: 'wait' })
  assert.equal(codes, ['done', 'done', 'policy_denied'])
  const trusts = events.flatMap((event) => (event.type === 'tool.completed' ? [event.data.trust] : []))
  assert.equal(trusts, ['trusted', 'untrusted'])
  const sandboxes = events.flatMap((event) => (event.type === 'tool.started' ? [event.data.sandbox] : []))
  assert.equal(sandboxes, ['bwrap', 'bwrap'])
})

test.run()
