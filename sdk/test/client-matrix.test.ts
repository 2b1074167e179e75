/** What a client does, whichever way it reaches its runtime: each case runs embedded and against a server. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Approval,
  type Decision,
  definePlugin,
  type Plugin,
  type RunEvent,
  SvcError,
  type Tool,
  toText,
} from '@svc/core'
import type { Script } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { createGate, until } from '../../server/test/fixtures/until.ts'
import type { ServiceClient } from '../src/index.ts'
import { folder, type Options, TRANSPORTS, type Transport, thrown } from './fixtures/transports.ts'

const rejections: unknown[] = []
process.on('unhandledRejection', (reason) => rejections.push(reason))

const withTool = (tool: Partial<Tool> & Pick<Tool, 'run'>): Plugin =>
  definePlugin('toolbox', ({ tools }) =>
    tools.add('act', {
      id: 'act',
      description: 'acts',
      parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
      risk: 'write',
      ...tool,
    }),
  )()

/** Asks for the tool once, then says what came of it. */
const acting: Script = ({ messages }) => {
  const answer = messages.find(({ role }) => role === 'tool')
  return answer === undefined
    ? { toolCalls: [{ tool: 'act', args: { what: 'plan A' } }] }
    : `It said: ${JSON.stringify(answer.content)}`
}

function casesOver({ name, connect }: Transport) {
  const test = suite(`client, ${name}`)

  async function withClient<T>(
    script: Script,
    options: Options,
    work: (client: ServiceClient) => Promise<T>,
  ): Promise<T> {
    const { client, close } = await connect(script, options)
    try {
      return await work(client)
    } finally {
      await close()
    }
  }

  const withOslo = (work: (client: ServiceClient) => Promise<void>) => withClient(() => 'Oslo', {}, work)

  test('a model is asked for pieces where somebody reads them, and for the whole at once where nobody does', async () => {
    await withClient(
      ({ stream }) => (stream ? 'in pieces' : 'at once'),
      {},
      async (client) => {
        assert.is((await client.run('x', { topology: 'SINGLE' })).summary, 'at once')
        assert.is((await client.stream('x', { topology: 'SINGLE' }).result).summary, 'in pieces')
        const off = client.onEvent(() => {})
        assert.is((await client.run('x', { topology: 'SINGLE' })).summary, 'in pieces')
        off()
      },
    )
  })

  test('an output that the rules of its schema refuse is the error of its run', async () => {
    const outputSchema = z.object({ age: z.number().refine((age) => age < 150, 'nobody is that old') })
    await withClient(
      () => '{"age":208}',
      {},
      async (client) => {
        const { status, verdict, error, output } = await client.run('How old was Ada?', { outputSchema })
        assert.equal(
          [status, verdict, error?.code, output],
          ['incomplete', 'fail', 'output_schema_mismatch', undefined],
        )
        assert.match(error?.message ?? '', /\/age nobody is that old/)
        const refused = await thrown(() => client.run('How old was Ada?', { outputSchema, throwOnFailure: true }))
        assert.is(refused.code, 'output_schema_mismatch')
      },
    )
  })

  test('a run is handed files of the workspace by name, and a name that leads nowhere is refused by its field', async () => {
    writeFileSync(join(folder, 'notes.md'), 'The code name is Heron.')
    writeFileSync(join(folder, 'a.csv'), 'x,y')
    const asked: string[] = []
    const script: Script = ({ messages }) => {
      asked.push(JSON.stringify(messages))
      return 'Heron'
    }
    await withClient(script, {}, async (client) => {
      await client.run('What is the code name?', { context: 'Look well.', files: ['*.md', 'notes.md', 'a.csv'] })
      const text = 'Look well.\n\nFile notes.md:\nThe code name is Heron.\n\nFile a.csv:\nx,y'
      assert.ok(asked[0]?.includes(JSON.stringify(text).slice(1, -1)), asked[0])
      const error = await thrown(() => client.run('x', { files: ['a.csv', 'b.csv'] }))
      assert.equal([error.code, error.errors?.[0]?.path], ['validation_failed', '/files/1'])
      assert.match(error.message, /does not exist; did you mean .*a\.csv/)
      const outside = await thrown(() => client.run('x', { files: ['../a.csv'] }))
      assert.equal([outside.code, outside.errors?.[0]?.path], ['path_outside_root', '/files/0'])
      assert.equal(await client.files({ q: 'note' }), { data: ['notes.md'], hasMore: false })
      assert.equal(await client.files({ limit: 1 }), { data: ['a.csv'], hasMore: true })
    })
  })

  test('run, plan, analyze and stream answer with their shapes, and a plan that is handed back is executed as it is', async () => {
    await withOslo(async (client) => {
      const result = await client.run('Name the capital of Norway.')
      assert.is(result.status, 'completed')
      assert.is(result.summary, 'Oslo')
      assert.is(result.usage.modelCalls, 1)

      const complexity = await client.analyze('Name the capital of Norway.', { riskLevel: 'high' })
      assert.ok(complexity.score >= 0 && complexity.score <= 1)
      const named = await client.analyze({ id: 'my-task', description: 'Name the capital of Norway.' })
      assert.is(named.taskId, 'my-task')

      const planned = await client.plan('Compare Oslo, Lima and Cairo by price', { topology: 'PARALLEL' })
      assert.is(planned.status, 'completed')
      assert.ok(planned.plan.steps.length > 1)
      const stages: string[] = []
      const off = client.onEvent(({ type, stage }) => type === 'stage.started' && stages.push(stage ?? ''))
      const carried = await client.run('Compare Oslo, Lima and Cairo by price', { plan: planned.plan })
      off()
      assert.equal(carried.plan, planned.plan)
      assert.is(carried.steps.length, planned.plan.steps.length)
      assert.not.ok(stages.includes('analyze') || stages.includes('plan'), stages.join())

      const stream = client.stream('Name the capital of Norway.')
      const events: RunEvent[] = []
      for await (const event of stream) events.push(event)
      assert.is(events[0]?.type, 'run.created')
      assert.is(events.at(-1)?.type, 'run.completed')
      const text = events.flatMap((event) => (event.type === 'message.delta' ? event.data.text : []))
      assert.is(text.join(''), 'Oslo')
      assert.is((await stream.result).summary, 'Oslo')
      assert.is((await client.stream('Name it again.').result).summary, 'Oslo', 'events need not be read')
    })
  })

  test('an answer that is too long for one event of a server comes whole, in pieces and at the end', async () => {
    const text = `It is long. ${'é😀 '.repeat(80_000)}`
    const usage = { inputTokens: 10, outputTokens: 10, estimated: false }
    await withClient(
      () => [
        { type: 'text', text },
        { type: 'finish', finishReason: 'stop', usage },
      ],
      {},
      async (client) => {
        const heard: RunEvent[] = []
        client.onEvent((event) => heard.push(event))
        const stream = client.stream('Say much.')
        const events: RunEvent[] = []
        for await (const event of stream) events.push(event)
        const { summary } = await stream.result
        const pieces = events.flatMap((event) => (event.type === 'message.delta' ? event.data.text : []))
        assert.is(pieces.join(''), text)
        const said = events.flatMap((event) => (event.type === 'message.completed' ? event.data.content : []))
        assert.equal(said, [{ type: 'text', text }])
        const last = events.at(-1)
        assert.ok(
          last?.type === 'run.completed' && 'summary' in last.data.result && last.data.result.summary === summary,
        )
        assert.ok(summary.length > 200_000)
        for (const event of events) assert.not.ok('cut' in event || 'ref' in event, event.type)
        const kept = (all: RunEvent[]): RunEvent[] => all.filter(({ seq }) => seq !== undefined)
        assert.equal(kept(heard), kept(events))
      },
    )
  })

  test('leaving the loop of a stream cancels its run', async () => {
    await withClient(
      () => new Promise(() => {}),
      {},
      async (client) => {
        const stream = client.stream('Name the capital of Norway.')
        for await (const { type } of stream) if (type === 'model.started') break
        assert.is((await stream.result).status, 'cancelled')
        const refused = client.stream('')
        assert.is((await thrown(() => refused.result)).code, 'validation_failed')
        assert.is(
          (
            await thrown(async () => {
              for await (const _ of client.stream('')) assert.unreachable()
            })
          ).code,
          'validation_failed',
        )
      },
    )
  })

  test('a handler that throws breaks nothing, and one that is removed receives nothing', async () => {
    await withOslo(async (client) => {
      let received = 0
      client.onEvent(() => {
        throw new Error('on purpose')
      })
      const off = client.onEvent(() => received++)
      assert.is((await client.run('Name the capital of Norway.')).status, 'completed')
      assert.ok(received > 5)
      off()
      off()
      received = 0
      await client.run('Name the capital of Norway.')
      assert.is(received, 0)
    })
  })

  test('a signal ends one run, the client’s signal all of them', async () => {
    let asked = 0
    const silent: Script = () => {
      asked++
      return new Promise(() => {})
    }
    await withClient(silent, {}, async (client) => {
      const controller = new AbortController()
      const running = client.run('Wait for it.', { signal: controller.signal })
      await until(() => asked === 1)
      controller.abort()
      assert.is((await running).status, 'cancelled')
      assert.is((await client.run('Wait for it.', { signal: AbortSignal.abort() })).status, 'cancelled')
      assert.is(
        (await thrown(() => client.run('Wait.', { signal: AbortSignal.abort(), throwOnFailure: true }))).code,
        'cancelled',
      )
    })
    const all = new AbortController()
    asked = 0
    const { client, close } = await connect(silent, { signal: all.signal })
    const running = [client.run('Wait for it.'), client.run('Wait for that.')]
    await until(() => asked === 2)
    all.abort()
    for (const { status } of await Promise.all(running)) assert.is(status, 'cancelled')
    await until(() =>
      client.run('x').then(
        () => false,
        ({ code }) => code === 'not_connected',
      ),
    )
    await close()
  })

  test('onInput answers what an agent asks; beside onApproval alone, nobody knows', async () => {
    const questions: unknown[] = []
    const toolbox = withTool({
      risk: 'read',
      needsPerson: true,
      run: async (_args, { ask }) => {
        const resolution = await ask({ kind: 'input', prompt: 'Which colour?' })
        return `heard ${resolution.kind === 'input' ? resolution.value : resolution.kind}`
      },
    })
    const outcome = async (more: Partial<Pick<Options, 'onInput' | 'onApproval'>>): Promise<string> =>
      withClient(acting, { plugins: [toolbox], ...more }, async (client) => (await client.run('Act now.')).summary)
    const answered = await outcome({
      onInput: async (question) => {
        questions.push(question)
        return 'green'
      },
    })
    assert.match(answered, 'heard green')
    assert.match(JSON.stringify(questions), /^\[\{"runId":"run_\w+","prompt":"Which colour\?"\}\]$/)
    assert.match(await outcome({ onApproval: () => ({ decision: 'deny' }) }), 'heard null')
  })

  test('an answer that comes after somebody else has answered is not taken for the next question', async () => {
    const { passed, open } = createGate()
    const toolbox = withTool({
      risk: 'read',
      needsPerson: true,
      run: async (_args, { ask }) => {
        const said: string[] = []
        for (const prompt of ['Which colour?', 'Which size?']) {
          const resolution = await ask({ kind: 'input', prompt })
          said.push(String(resolution.kind === 'input' && resolution.value))
        }
        return `heard ${said.join(', ')}`
      },
    })
    let resume = async (_runId: string, _input: string): Promise<void> => {}
    const onInput = async ({ runId, prompt }: { runId: string; prompt: string }): Promise<string> => {
      if (prompt === 'Which size?') {
        open()
        // What would be said to the first question is said before.
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
        return 'small'
      }
      await resume(runId, 'red')
      await passed
      return 'green'
    }
    const summary = await withClient(acting, { plugins: [toolbox], onInput }, async (client) => {
      resume = async (runId, input) => void (await client.runs.resume(runId, { input }))
      return (await client.run('Act now.')).summary
    })
    assert.match(summary, 'heard red, small')
  })

  test('onApproval approves, denies and edits; without it a tool that needs permission is denied at once', async () => {
    const seen: unknown[] = []
    const toolbox = withTool({
      run: async (args) => {
        seen.push(args)
        return 'acted'
      },
    })
    const asked: Approval[] = []
    const outcome = async (onApproval?: (approval: Approval) => Decision | Promise<Decision>) => {
      seen.length = 0
      const options = onApproval === undefined ? {} : { onApproval }
      return withClient(acting, { plugins: [toolbox], ...options }, (client) => client.run('Act now.'))
    }
    const denied = await outcome()
    assert.equal(seen, [])
    assert.is(denied.toolCalls.denied, 1)
    assert.ok(denied.warnings.some(({ code }) => code === 'approval_required'))

    const approved = await outcome(async (approval) => {
      asked.push(approval)
      return { decision: 'approve' }
    })
    assert.equal(seen, [{ what: 'plan A' }])
    assert.is(approved.toolCalls.denied, 0)
    assert.is(asked[0]?.tool, 'act')
    assert.equal(asked[0]?.args, { what: 'plan A' })

    await outcome(() => ({ decision: 'edit', args: { what: 'plan B' } }))
    assert.equal(seen, [{ what: 'plan B' }])
    const refused = await outcome(() => ({ decision: 'deny', note: 'not today' }))
    assert.is(refused.toolCalls.denied, 1)
    assert.ok(refused.warnings.some(({ code, message }) => code === 'approval_denied' && message.includes('act')))
    const broken = await outcome(() => {
      throw new Error('on purpose')
    })
    assert.equal([seen.length, broken.toolCalls.denied], [0, 1], 'a function that throws is a denial')
    const nonsense = await outcome((() => ({ decision: 'perhaps' })) as never)
    assert.equal([seen.length, nonsense.toolCalls.denied], [0, 1], 'no answer that is no decision lets a tool run')
    const invalid = await outcome(() => ({ decision: 'edit', args: { what: 7 } }))
    assert.is(seen.length, 0, 'edited arguments are checked')
    assert.is(invalid.toolCalls.total, 1)
  })

  test('a failing provider is a resolved result, or a rejection where that is asked for', async () => {
    const failing: Script = () => {
      throw new SvcError('provider_auth', 'the key is wrong')
    }
    await withClient(failing, {}, async (client) => {
      const result = await client.run('Name the capital of Norway.')
      assert.is(result.status, 'failed')
      assert.is(result.error?.code, 'provider_auth')
      const error = await thrown(() => client.run('Name the capital of Norway.', { throwOnFailure: true }))
      assert.is(error.code, 'provider_auth')
      assert.is(error.exitCode, 5)
      const small = await thrown(() => client.run('Name the capital of Norway.', { tokenBudget: 10 }))
      assert.equal([small.code, small.exitCode], ['budget_too_small', 2])
    })
    await withClient(failing, { throwOnFailure: true }, async (client) => {
      assert.is((await thrown(() => client.run('Name it.'))).code, 'provider_auth')
      assert.is((await client.run('Name it.', { throwOnFailure: false })).status, 'failed')
      assert.is((await thrown(() => client.stream('Name it.').result)).code, 'provider_auth')
      assert.is((await thrown(() => client.run(''))).code, 'validation_failed')
      assert.is((await thrown(() => client.run('x', { topology: 'RING' as never }))).code, 'validation_failed')
      assert.is((await thrown(() => client.run('x', { agents: ['nobody'] }))).code, 'agent_not_found')
      assert.is((await thrown(() => client.run('x', { model: 'nobody/x' }))).code, 'unknown_provider')
      assert.is((await thrown(() => client.run('x', { tokenBudgt: 5 } as never))).code, 'validation_failed')
      assert.is(
        (await thrown(() => client.run('x', { threadId: 'thr_00000000000000000000000000' }))).code,
        'thread_not_found',
      )
    })
  })

  test('a stream that the client leaves behind rejects like a run', async () => {
    const { client, close } = await connect(() => new Promise(() => {}))
    const run = thrown(() => client.run('Wait.'))
    const stream = thrown(() => client.stream('Wait.').result)
    await client.disconnect()
    assert.equal([(await run).code, (await stream).code], ['shutting_down', 'shutting_down'])
    await close()
  })

  test('the next run recalls what a person told the last one, unless sessions are not to persist', async () => {
    const seen: string[] = []
    const script: Script = ({ messages }) => {
      seen.push(JSON.stringify(messages))
      return 'Noted.'
    }
    for (const [persistSessions, expected] of [
      [undefined, true],
      [true, true],
      [false, false],
    ] as const) {
      seen.length = 0
      const options = persistSessions === undefined ? {} : { persistSessions }
      await withClient(script, options, async (client) => {
        await client.run('Note that the launch code name of the project is Bluebird')
        const events: string[] = []
        client.onEvent(({ type }) => events.push(type))
        await client.run('What is the launch code name of the project?')
        assert.is(events.includes('memory.recalled'), expected, `persistSessions ${persistSessions}`)
        assert.is(seen.at(-1)?.includes('Bluebird'), expected)
      })
    }
  })

  test('a run in a thread knows what was said there before', async () => {
    const seen: string[] = []
    const script: Script = ({ messages }) => {
      seen.push(JSON.stringify(messages))
      return seen.length === 1 ? 'Its name is Bluebird.' : 'As I said.'
    }
    await withClient(script, { persistSessions: false }, async (client) => {
      const thread = await client.threads.create({})
      await client.run('Give it a name.', { threadId: thread.id })
      await client.run('What was it again?', { threadId: thread.id })
      assert.match(seen[1] ?? '', /Give it a name\..*Its name is Bluebird\./)
      const said = await client.threads.messages(thread.id)
      assert.equal(
        said.map(({ role }) => role),
        ['user', 'assistant', 'user', 'assistant'],
      )
      await client.run('And here?')
      assert.not.match(seen[2] ?? '', /Bluebird/)
    })
  })

  test('the groups offer what the runtime offers', async () => {
    await withOslo(async (client) => {
      const agent = await client.createAgent({ name: 'Close Reader', instructions: 'Read closely.' })
      assert.is(agent.id, 'close-reader')
      assert.equal(
        (await client.listAgents()).map(({ id }) => id),
        ['close-reader'],
      )
      assert.is((await client.agents.get('close-reader')).instructions, 'Read closely.')
      const result = await client.run('Name the capital.', { agents: ['close-reader'] })
      assert.is(result.agents[0]?.profileId, 'close-reader')
      await client.agents.delete('close-reader')
      assert.equal(await client.listAgents(), [])

      const record = await client.writeMemory({ content: 'The office is closed on Mondays.', layer: 'long-term' })
      assert.is(record.trust, 'trusted')
      assert.is((await client.queryMemory('When is the office closed?')).data[0]?.id, record.id)
      assert.is((await client.queryMemory({ query: 'office', limit: 1 })).data.length, 1)
      assert.is((await client.memory.get(record.id)).content, record.content)
      await client.memory.delete(record.id)
      assert.is((await thrown(() => client.memory.get(record.id))).code, 'memory_not_found')

      const page = await client.runs.list({ limit: 1 })
      assert.is(page.data[0]?.id, result.runId)
      const run = await client.runs.create({ task: 'Name the capital of Peru.' })
      assert.is((await client.runs.wait(run.id)).status, 'completed')
      const types: string[] = []
      for await (const { type } of client.runs.events(run.id, { deltas: false })) types.push(type)
      assert.is(types.at(-1), 'run.completed')
      assert.is((await client.runs.replay(run.id)).identical, true)
      assert.equal((await client.approvals.list()).data, [])
      assert.is((await client.inspect()).grade, 'healthy')
      assert.is((await client.health()).provider, 'scripted')
      const info = await client.describe()
      assert.is(info.defaultModel, 'scripted/scripted')
      assert.ok(info.plugins.some(({ name }) => name === 'inspect'))
      const health = info.providers.find(({ id }) => id === 'scripted')?.health
      assert.is(health?.state, 'ok')
      assert.ok((health?.calls ?? 0) >= 2)
      assert.ok(info.taps.some(({ calls, totalMs }) => calls > 0 && totalMs > 0))
      assert.ok(info.tools.every(({ use }) => use !== undefined))
      assert.is(info.policy.default, undefined)
      assert.is(info.policy.builtIn.length, 8)
      assert.equal(Object.keys(info.config).sort(), ['origin', 'value'])
    })
  })

  test('runs are listed and summed up within bounds, and bounds that cannot be are refused', async () => {
    await withOslo(async (client) => {
      const { runId, usage } = await client.run('Name the capital of Norway.')
      await client.plan('Name the capital of Peru.')
      const tokens = usage.inputTokens + usage.outputTokens
      const { data } = await client.runs.list({ minTokens: tokens, maxTokens: tokens, mode: 'execute' })
      assert.equal(
        data.map(({ id }) => id),
        [runId],
      )
      assert.equal((await client.runs.list({ minTokens: tokens * 100 })).data, [])
      const summary = await client.runs.summary({ mode: 'execute' })
      assert.equal([summary.total, summary.byStatus.completed, summary.tokens], [1, 1, tokens])
      for (const ask of [client.runs.list, client.runs.summary]) {
        const error = await thrown(() => ask({ minTokens: -1 }))
        assert.equal([error.code, error.errors?.[0]?.path], ['validation_failed', '/minTokens'])
      }
    })
  })

  test('what begins and ends is heard of all runs, from when listening has begun', async () => {
    await withOslo(async (client) => {
      const heard: string[] = []
      let off = (): void => {}
      await new Promise<void>((resolve) => {
        off = client.onRunEvent(({ type }) => heard.push(type), { onOpen: resolve })
      })
      await client.run('Name the capital of Norway.')
      await until(() => heard.at(-1) === 'run.completed')
      assert.equal(heard, ['run.created', 'run.started', 'run.completed'])
      off()
      const later: string[] = []
      await new Promise<void>((resolve) => {
        off = client.onRunEvent(({ type }) => later.push(type), { onOpen: resolve })
      })
      await client.run('Name the capital of Peru.')
      await until(() => later.at(-1) === 'run.completed')
      off()
      assert.is(heard.length, 3)
    })
  })

  test('a conversation runs and streams tasks that are sent what was said before, and says it', async () => {
    const sent: string[][] = []
    const script: Script = ({ messages }) => {
      sent.push(messages.slice(1).map(({ role, content }) => `${role}: ${toText(content)}`))
      return '{"city":"Oslo"}'
    }
    await withClient(script, {}, async (client) => {
      const thread = await client.threads.create({ id: `talk-${name.length}`, title: 'Capitals' })
      const { output } = await thread.run('Name the capital of Norway.', {
        outputSchema: z.object({ city: z.string() }),
      })
      assert.is(output?.city, 'Oslo')
      const { textStream, result } = thread.stream('And the one of Peru?')
      let text = ''
      for await (const piece of textStream) if (typeof piece === 'string') text += piece
      assert.equal([text, (await result).status], ['{"city":"Oslo"}', 'completed'])
      const before = ['user: Name the capital of Norway.', 'assistant: {"city":"Oslo"}']
      assert.equal(sent.at(-1), [...before, 'user: And the one of Peru?'])
      assert.equal(
        (await thread.messages()).map(({ role, content }) => `${role}: ${content}`),
        [...before, 'user: And the one of Peru?', 'assistant: {"city":"Oslo"}'],
      )
      const found = await client.threads.get(thread.id)
      const { updatedAt, ...known } = JSON.parse(JSON.stringify(thread))
      assert.equal({ ...known, updatedAt: found.updatedAt }, { ...found }, 'a thread is what was known of it')
      assert.ok(found.updatedAt > updatedAt, 'a run of a thread changes when it was last asked for something')
      await found.run('And of Chile?')
      assert.is(sent.at(-1)?.length, 5)
      const [listed] = (await client.threads.list()).data
      const copied = await (await client.threads.copy(listed?.id ?? '')).messages()
      assert.is(copied.length, 6)
      const { runId = '' } = (await thread.messages())[2] ?? {}
      const shorter = await client.threads.copy(thread.id, { before: runId })
      assert.equal(
        (await shorter.messages()).map(({ role, content }) => `${role}: ${content}`),
        before,
      )
      await shorter.run('And of Kenya?')
      assert.equal(sent.at(-1), [...before, 'user: And of Kenya?'])
      assert.is((await (await client.threads.copy(shorter.id)).messages()).length, 4)
      const strange = await thrown(() => client.threads.copy(shorter.id, { before: runId }))
      assert.is(strange.code, 'validation_failed')
      const codes = [{ id: thread.id }, { id: 'no way' }].map(
        async (input) => (await thrown(() => client.threads.create(input))).code,
      )
      assert.equal(await Promise.all(codes), ['thread_exists', 'validation_failed'])
    })
  })

  test('what a run wrote is undone, and what somebody changed since is named', async () => {
    const path = `${name.replace(' ', '-')}.txt`
    const writing: Script = ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Written.'
        : { toolCalls: [{ tool: 'write_file', args: { path, content: 'new\n' } }] }
    await withClient(writing, { onApproval: () => ({ decision: 'approve' }) }, async (client) => {
      writeFileSync(join(folder, path), 'old\n')
      const { runId } = await client.run('Write it.', { topology: 'SINGLE' })
      const { done, files } = await client.runs.undo(runId, { dryRun: true })
      assert.is(done, false)
      assert.match(files[0]?.diff ?? '', '-new\n+old')
      writeFileSync(join(folder, path), 'mine\n')
      const { code, errors } = await thrown(() => client.runs.undo(runId))
      assert.equal([code, errors], ['files_changed', [{ path: `/files/${path}`, message: 'it was changed since' }]])
      writeFileSync(join(folder, path), 'new\n')
      assert.is((await client.runs.undo(runId)).done, true)
      assert.is(readFileSync(join(folder, path), 'utf8'), 'old\n')
    })
  })

  test('costs are added up, and bounds and calendars that cannot be are refused by their field', async () => {
    await withOslo(async (client) => {
      const { usage } = await client.run('Name the capital of Norway.', { topology: 'SINGLE' })
      const tokens = usage.inputTokens + usage.outputTokens
      const { data, ...asked } = await client.runs.costs({ per: 'week', by: 'model', utcOffsetMinutes: 345 })
      assert.equal(asked, { per: 'week', by: 'model', utcOffsetMinutes: 345 })
      assert.equal(
        data.map(({ name, runs, tokens, unpriced }) => [name, runs, tokens, unpriced]),
        [['scripted/scripted', 1, tokens, 1]],
      )
      assert.is(new Date(data[0]?.start ?? '').getUTCDay(), 1)
      assert.equal((await client.runs.costs({ by: 'folder' })).data[0]?.name, folder)
      assert.equal((await client.runs.costs({ to: '2020-01-01T00:00:00.000Z' })).data, [])
      for (const [query, path] of [
        [{ from: 'yesterday-at-noon-or-so' }, '/from'],
        [{ utcOffsetMinutes: 2_000 }, '/utcOffsetMinutes'],
        [{ per: 'year' }, '/per'],
        [{ space: '/elsewhere' }, '/space'],
      ] as const) {
        const error = await thrown(() => client.runs.costs(query as never))
        assert.equal([error.code, error.errors?.[0]?.path], ['validation_failed', path])
      }
    })
  })

  test('a memory is changed where it is, and what cannot be in one is refused', async () => {
    await withOslo(async ({ memory }) => {
      const { id, content } = await memory.write({ content: 'The office is in Oslo.', tags: ['office'] })
      const tagged = await memory.update(id, { tags: ['moved'] })
      assert.equal([tagged.content, tagged.tags], [content, ['moved']])
      const moved = await memory.update(id, { content: 'The office is in Lima.' })
      assert.equal([moved.content, moved.trust, moved.source.origin], ['The office is in Lima.', 'trusted', 'user'])
      assert.is((await memory.update(id, { validTo: '2999-01-01T00:00:00.000Z' })).validTo, '2999-01-01T00:00:00.000Z')
      assert.is((await memory.update(id, { validTo: null })).validTo, undefined)
      assert.is((await memory.query({ query: 'Lima' })).data[0]?.id, id)
      assert.is((await thrown(() => memory.update(id, { content: '' }))).code, 'validation_failed')
      assert.is((await thrown(() => memory.update(id, { trust: 'trusted' } as never))).code, 'validation_failed')
      await memory.delete(id)
      assert.is((await thrown(() => memory.update(id, { tags: [] }))).code, 'memory_not_found')
    })
  })

  test('a yes holds for what a question offers, in the rest of its run; what it does not offer leaves it open', async () => {
    const done: unknown[] = []
    const toolbox = withTool({
      run: async (args) => {
        done.push(args)
        return 'acted'
      },
    })
    const twice: Script = ({ messages }) => {
      const answers = messages.filter(({ role }) => role === 'tool').length
      return answers < 2 ? { toolCalls: [{ tool: 'act', args: { what: `plan ${answers}` } }] } : 'Done.'
    }
    await withClient(twice, { plugins: [toolbox] }, async ({ runs, approvals }) => {
      for (const [scope, asks] of [
        ['call', 2],
        ['tool', 1],
      ] as const) {
        done.length = 0
        const { id } = await runs.create({ task: 'Act twice.', topology: 'SINGLE', approval: 'wait' })
        let asked = 0
        while ((await runs.wait(id)).status === 'waiting') {
          asked++
          const [approval] = (await approvals.list({ status: 'pending' })).data
          const answer = (decision: object) => approvals.resolve(approval?.id ?? '', decision as Decision)
          assert.equal(
            approval?.offers?.map((offer) => offer.scope),
            ['tool'],
          )
          for (const [wrong, path] of [
            [{ decision: 'approve', remember: 'run', scope: 'prefix' }, '/scope'],
            [{ decision: 'approve', scope: 'tool' }, '/scope'],
            [{ decision: 'deny', remember: 'run', scope: 'tool' }, '/scope'],
            [{ decision: 'deny', remember: 'always', scope: 'tool' }, '/scope'],
          ] as const) {
            const error = await thrown(() => answer(wrong))
            assert.equal([error.code, error.errors?.[0]?.path], ['validation_failed', path], JSON.stringify(wrong))
          }
          assert.is((await answer({ decision: 'approve', remember: 'run', scope })).status, 'approved')
          await until(async () => (await approvals.get(approval?.id ?? '')).status !== 'pending')
        }
        assert.equal([asked, done.length], [asks, 2], scope)
        assert.is((await runs.get(id)).status, 'completed')
      }
    })
  })

  test('nothing was rejected without anybody hearing of it', async () => {
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(rejections, [])
  })

  return test
}

for (const transport of TRANSPORTS) casesOver(transport).run()
