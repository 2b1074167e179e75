import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type {
  ExecutionResult,
  Plugin,
  RunContext,
  RunEvent,
  Runtime,
  RuntimeSettings,
  Tool,
  ToolAnswer,
} from '../src/index.ts'
import { definePlugin, ProviderError, ToolError } from '../src/index.ts'
import { type Script, type ScriptedProvider, scriptedProvider } from '../src/testing/index.ts'
import { tool as anyTool, start, toolbox } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens, estimated: false })

const model = (provider: ScriptedProvider): Plugin =>
  definePlugin('model', ({ providers }) => providers.add(provider.id, provider))()

const parameters = { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false }
const tool = (id: string, run: Tool['run'], more: Partial<Tool> = {}): Tool => anyTool(id, run, { parameters, ...more })

interface Outcome {
  result: ExecutionResult
  events: RunEvent[]
  runtime: Runtime
}

async function go(plugins: Plugin[], options: object = {}, settings: Partial<RuntimeSettings> = {}): Promise<Outcome> {
  const runtime = await start(plugins, settings)
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: 'do it', ...options })
  await runtime.runs.wait(id)
  return { result: (await runtime.runs.result(id)) as ExecutionResult, events, runtime }
}

const ask = (run: RunContext, n: number, more: object = {}) =>
  run.model({
    key: `model:${n}`,
    agentId: `agent-${n}`,
    model: '',
    messages: [{ role: 'user', content: [{ type: 'text', text: `question ${n}` }] }],
    stream: false,
    ...more,
  })

/** Executes by a function of the run. */
const acting = (act: (run: RunContext) => Promise<string>): Plugin =>
  tiny({ execute: async (run) => execution(await act(run)) })

/** Calls one tool and hands out its answer. */
async function callOne(
  made: Tool,
  args: unknown,
  options: object = {},
  settings: Partial<RuntimeSettings> = {},
): Promise<Outcome & { answer: ToolAnswer }> {
  let answer: ToolAnswer | undefined
  const act = acting(async (run) => {
    answer = await run.tool({ key: 'tool:1', agentId: 'agent-1', callId: 'c1', tool: made.id, args })
    return 'done'
  })
  const outcome = await go([toolbox(made), act, model(scriptedProvider('scripted', () => 'x'))], options, settings)
  if (answer === undefined) throw new Error('the tool gateway gave no answer')
  return { ...outcome, answer }
}

const gateways = suite('gateways')

gateways(
  'never spends more than the hard budget with eight agents at once, retries and a model that lies about its usage',
  async () => {
    for (const lie of [undefined, { inputTokens: 0, outputTokens: 0 }, { inputTokens: Number.NaN, outputTokens: -5 }]) {
      let counted = 0
      const script: Script = (request, index) => {
        if (index % 3 === 1)
          return {
            error: new ProviderError('provider_rate_limited', 'slow down', { provider: 'scripted', retryAfterMs: 1 }),
          }
        const text = 'word '.repeat(Math.min(60, request.maxOutputTokens ?? 0)).trim()
        counted += 6 + (text === '' ? 0 : text.split(' ').length)
        return { text, usage: lie ?? usage(6, text.split(' ').length) }
      }
      const act = acting(async (run) => {
        let n = 0
        const worker = async (): Promise<void> => {
          for (let i = 0; i < 50; i++) await ask(run, ++n % 8, { key: `model:${n}:${i}:${Math.floor(n / 8)}` })
        }
        await Promise.all(Array.from({ length: 8 }, worker))
        return 'never'
      })
      const { result } = await go([act, model(scriptedProvider('scripted', script))], { budget: { maxTokens: 1_500 } })
      assert.is(result.status, 'incomplete')
      assert.is(result.incomplete?.reason, 'budget_exhausted')
      assert.ok(counted <= 1_500, `${counted} tokens counted by the model`)
      assert.ok(counted > 700, `${counted} tokens: the budget was hardly used`)
    }
  },
)

gateways('warns at the soft budget and goes on until the hard one', async () => {
  const act = acting(async (run) => {
    for (let n = 1; n <= 3; n++) await ask(run, n)
    return String(run.budget.exhausted)
  })
  const { result, events } = await go(
    [act, model(scriptedProvider('scripted', () => ({ text: 'x', usage: usage(50, 50) })))],
    { tokenBudget: 250 },
  )
  assert.is(result.status, 'completed')
  assert.is(result.summary, 'true')
  assert.equal(
    events.flatMap((event) => (event.type === 'budget.warning' ? [event.data.ratio] : [])),
    [0.7, 0.9],
  )
  assert.is(events.filter(({ type }) => type === 'budget.exhausted').length, 1)
})

gateways('tries again after a failure that may pass, and says what it tried', async () => {
  const script: Script = (_request, index) =>
    index < 2
      ? { error: new ProviderError('provider_unavailable', 'down', { provider: 'scripted', retryAfterMs: 1 }) }
      : 'up again'
  const provider = scriptedProvider('scripted', script)
  const { result, events } = await go([tiny(), model(provider)])
  assert.is(result.summary, 'up again')
  assert.is(provider.requests.length, 3)
  assert.equal(
    events.flatMap((event) => (event.type === 'model.retrying' ? [event.data.tries] : [])),
    [2, 3],
  )
})

gateways('turns to the fallback when the first model is down', async () => {
  const down = scriptedProvider('scripted', () => ({
    error: new ProviderError('provider_auth', 'bad key', { provider: 'scripted' }),
  }))
  const other = scriptedProvider('other', () => 'from the other')
  const both = definePlugin('models', ({ providers }) => {
    providers.add('scripted', down)
    providers.add('other', other)
  })()
  const { result, events } = await go([tiny(), both], {}, { config: { fallback: ['other/scripted'] } })
  assert.is(result.summary, 'from the other')
  assert.ok(events.some(({ type }) => type === 'model.fallback'))
})

gateways('lets call hooks change a request and an answer', async () => {
  const provider = scriptedProvider(
    'scripted',
    (request) => `heard ${JSON.stringify(request.messages.at(-1)?.content)}`,
  )
  const changing = definePlugin('changing', ({ hooks }) => {
    hooks.modelRequest.tap('changing', (_changed, request) => ({
      ...request,
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'changed' }] }],
    }))
    hooks.modelResponse.tap('changing', (_changed, { answer }) => ({ ...answer, text: answer.text.toUpperCase() }))
  })()
  const { result } = await go([changing, tiny(), model(provider)])
  assert.match(result.summary, 'HEARD')
  assert.match(result.summary, 'CHANGED')
})

gateways('parses structured output where a schema was asked for and the text fits it', async () => {
  const outputSchema = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } }
  const seen: unknown[] = []
  const act = acting(async (run) => {
    for (let n = 1; n <= 3; n++) seen.push((await ask(run, n, { outputSchema })).data)
    return 'done'
  })
  await go([
    act,
    model(
      scriptedProvider('scripted', (_request, i) => ['{"n":1}', '```json\n{"n":2}\n```', '{"n":"three"}'][i] ?? ''),
    ),
  ])
  assert.equal(seen, [{ n: 1 }, { n: 2 }, undefined])
})

gateways('refuses a journal key that is used twice', async () => {
  const act = acting(async (run) => {
    await ask(run, 1)
    await ask(run, 1)
    return 'done'
  })
  const { result } = await go([act, model(scriptedProvider('scripted', () => 'x'))])
  assert.is(result.status, 'failed')
  assert.match(result.error?.message ?? '', 'used twice')
})

gateways('gives wrong arguments, an unknown tool and a failing tool back as answers', async () => {
  const read = tool('read_it', async () => 'text')
  assert.is((await callOne(read, { file: 'x' })).answer.error?.code, 'tool_bad_args')
  assert.is((await callOne(read, 'not json {')).answer.error?.code, 'tool_bad_args')
  const failing = tool('fail_it', async () => {
    throw new ToolError('tool_failed', 'no such thing')
  })
  const { answer, result } = await callOne(failing, {})
  assert.is(answer.ok, false)
  assert.is(answer.error?.message, 'no such thing')
  assert.equal(result.toolCalls, { total: 1, failed: 1, denied: 0 })
  const unknown = await go([
    toolbox(read),
    acting(
      async (run) =>
        (await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'read_i', args: {} })).error?.message ?? '',
    ),
    model(scriptedProvider('scripted', () => 'x')),
  ])
  assert.match(unknown.result.summary, 'did you mean "read_it"')
})

gateways('stops a tool at its time-out and cuts what it returns', async () => {
  const slow = tool('slow', () => new Promise(() => {}), { timeoutMs: 20 })
  assert.is((await callOne(slow, {})).answer.error?.code, 'tool_timeout')
  const long = tool('long', async () => 'é'.repeat(1_000), { maxOutputBytes: 101 })
  const { answer } = await callOne(long, {})
  assert.is(answer.truncated, true)
  assert.is(answer.bytes, 2_000)
  assert.match(JSON.stringify(answer.content), `${'é'.repeat(50)}\\n[cut: 101 of 2000 bytes]`)
  assert.ok(answer.ref)
})

gateways('allows reading, asks before writing and network, and denies destruction', async () => {
  let ran = 0
  const make = (risk: Tool['risk']): Tool => tool(`do_${risk}`, async () => ++ran, { risk })
  assert.is((await callOne(make('read'), {})).answer.ok, true)
  for (const risk of ['write', 'network', 'execute'] as const) {
    const { answer, result } = await callOne(make(risk), {})
    assert.is(answer.error?.code, 'approval_required')
    assert.is(result.toolCalls.denied, 1)
    assert.ok(result.warnings.some(({ code }) => code === 'approval_required'))
  }
  assert.is((await callOne(make('destructive'), {})).answer.error?.code, 'policy_denied')
  assert.is((await callOne(make('write'), {}, { approval: 'allow-write' })).answer.ok, true)
  assert.is((await callOne(make('network'), {}, { approval: 'allow-write' })).answer.error?.code, 'approval_required')
  assert.is(ran, 2)
})

gateways('a denial names the rule that allows the call, which does so, and no rule where none would', async () => {
  const args = fc.record(
    {
      command: fc.array(fc.string(), { minLength: 1, maxLength: 4 }),
      path: fc.oneof(fc.constantFrom('notes/a.md', '../b', '/etc/x', 'a*b', 'a\nb'), fc.string()),
      url: fc.constantFrom('https://example.org/x', 'http://127.0.0.1:8080', 'no address'),
      body: fc.string(),
    },
    { requiredKeys: [] },
  )
  const anything = { type: 'object' } as const
  const touches: Tool['touches'] = async (given) => {
    const { command, script, path, url } = given as { command?: string[]; script?: string; path?: string; url?: string }
    const called = command ?? script
    return {
      ...(called !== undefined && { command: called }),
      ...(path !== undefined && { paths: [path] }),
      ...(url !== undefined && { hosts: [url] }),
    }
  }
  let named = 0
  await fc.assert(
    fc.asyncProperty(args, fc.constantFrom('write', 'network', 'execute', 'destructive'), async (given, risk) => {
      const made = tool('act', async () => 'ok', { risk, parameters: anything, touches })
      const { events } = await callOne(made, given)
      const denied = events.find((event) => event.type === 'tool.denied')
      const allowedBy = denied?.data.allowedBy
      if (allowedBy === undefined) return
      named++
      const { answer } = await callOne(made, given, {}, { config: { policy: { rules: [allowedBy] } } })
      assert.is(answer.ok, true, JSON.stringify(allowedBy))
      if (given.command === undefined) return
      const other = await callOne(
        made,
        { ...given, command: ['other'] },
        {},
        { config: { policy: { rules: [allowedBy] } } },
      )
      if (given.command[0] !== 'other') assert.is(other.answer.ok, false, 'and no other')
    }),
    { seed: 7, numRuns: 60 },
  )
  assert.ok(named > 30)
  const says = async (made: Tool, given: object, settings: Partial<RuntimeSettings> = {}): Promise<string> =>
    (await callOne(made, given, {}, settings)).result.warnings.map(({ message }) => message).join()
  const program = tool('program', async () => 'ok', { risk: 'execute', parameters: anything, touches })
  assert.match(
    await says(program, { command: ['node', '--test'] }),
    '; in your config this allows it: "policy": { "rules": [ { "tool": "program", "decision": "allow", "command": [ "node", "--test" ] } ] }',
  )
  assert.not.match(await says(program, { script: 'node --test' }), 'allows it')
  const unsaid = tool('unsaid', async () => 'ok', { risk: 'write', parameters: anything })
  assert.not.match(await says(unsaid, { path: 'a' }), 'allows it')
  assert.match(await says(unsaid, {}), 'allows it')
  const asking = { config: { policy: { rules: [{ tool: 'program', decision: 'ask' as const }] } } }
  assert.not.match(await says(program, { command: ['node'] }, asking), 'allows it')
})

gateways('lets the strictest rule win, and rules look at paths and hosts', async () => {
  const touches = async (args: unknown) => ({ paths: [(args as { path: string }).path] })
  const write = tool('write_it', async () => 'ok', { risk: 'write', touches })
  const by = async (rules: object[], args: object = { path: 'notes/a.md' }): Promise<string> =>
    (await callOne(write, args, {}, { config: { policy: { rules: rules as never } } })).answer.error?.code ?? 'ok'
  assert.is(await by([{ tool: 'write_it', decision: 'allow' }]), 'ok')
  assert.is(
    await by([
      { tool: '*', decision: 'deny' },
      { tool: 'write_it', decision: 'allow' },
    ]),
    'policy_denied',
  )
  assert.is(await by([{ tool: 'write_*', decision: 'allow', paths: ['notes/*'] }]), 'ok')
  assert.is(
    await by([{ tool: 'write_*', decision: 'allow', paths: ['notes/*'] }], { path: 'src/a.ts' }),
    'approval_required',
  )
})

gateways('lets no ask rule lift what risk denies: only a rule that allows does', async () => {
  const wipe = tool('wipe', async () => 'gone', { risk: 'destructive' })
  const by = async (...decisions: string[]): Promise<string> => {
    const rules = decisions.map((decision) => ({ tool: '*', decision })) as never
    return (await callOne(wipe, {}, {}, { config: { policy: { rules } } })).answer.error?.code ?? 'ok'
  }
  assert.is(await by('ask'), 'policy_denied')
  assert.is(await by('allow'), 'ok')
  assert.is(await by('allow', 'ask'), 'approval_required')
  assert.is(await by('allow', 'ask', 'deny'), 'policy_denied')
})

gateways('lets a toolRequest tap tighten the policy but never loosen it', async () => {
  const tap = (decision: 'allow' | 'deny'): Plugin =>
    definePlugin('tap', ({ hooks }) => hooks.toolRequest.tap('tap', () => ({ decision, reason: 'because' })))()
  const run = async (decision: 'allow' | 'deny', risk: Tool['risk']): Promise<string> => {
    const act = acting(
      async (live) =>
        (await live.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'it', args: {} })).error?.code ?? 'ok',
    )
    return (
      await go([
        tap(decision),
        toolbox(tool('it', async () => 'ok', { risk })),
        act,
        model(scriptedProvider('scripted', () => 'x')),
      ])
    ).result.summary
  }
  assert.is(await run('deny', 'read'), 'policy_denied')
  assert.is(await run('allow', 'write'), 'approval_required')
})

gateways('nudges an agent before its next call, opens a circuit, and halts with loop_detected', async () => {
  const provider = scriptedProvider('scripted', (request) => JSON.stringify(request.messages.at(-1)?.content))
  const act = acting(async (run) => {
    run.steer({ action: 'nudge', agentId: 'agent-1', reason: 'you repeat yourself' })
    const { text } = await ask(run, 1)
    run.steer({ action: 'openCircuit', tool: 'it', reason: 'it fails too often' })
    const { error } = await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'it', args: {} })
    run.warn({ code: 'seen', message: `${text} ${error?.message}` })
    run.steer({ action: 'halt', reason: 'the same again and again' })
    await ask(run, 2)
    return 'never'
  })
  const { result } = await go([toolbox(tool('it', async () => 'ok')), act, model(provider)])
  assert.is(result.status, 'incomplete')
  assert.is(result.incomplete?.reason, 'loop_detected')
  const seen = result.warnings.find(({ code }) => code === 'seen')?.message ?? ''
  assert.match(seen, 'you repeat yourself')
  assert.match(seen, 'it fails too often')
})

gateways.run()
