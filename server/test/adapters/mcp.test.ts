/** svc as a server of the Model Context Protocol, in the hands of the official client: both eras, one behaviour. */
import { isTerminal, type Run } from '@svc/core'
import * as assert from 'uvu/assert'
import { NOTES, posting, postingScript } from '../fixtures/good-requests.ts'
import { callTool, connectMcp, ERAS, type McpClientOptions } from '../fixtures/mcp-client.ts'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { pausing, until } from '../fixtures/until.ts'

const test = serverSuite('the MCP server')

const newest = async ({ runtime }: OpenServer): Promise<Run> => {
  const [run] = (await runtime.runs.list({ limit: 1 })).data
  if (run === undefined) throw new Error('there is no run')
  return run
}

async function refused(ask: () => Promise<unknown>, why: RegExp): Promise<void> {
  const thrown = await ask().then(
    () => undefined,
    (error: Error) => error,
  )
  assert.match(thrown?.message ?? 'it was not refused', why)
}

const post = { task: 'Post a message to the team', topology: 'SINGLE' }
const openPosting = (server = {}) => openServer({ script: postingScript, plugins: [posting()], server })
const approve: McpClientOptions['answer'] = () => ({ action: 'accept', content: { decision: 'approve' } })

/** Asks the person, and answers what they say. */
const asking = (args: object) => () =>
  openServer({
    script: ({ messages }) => {
      const last = messages.at(-1)
      return last?.role === 'tool'
        ? `Heard: ${JSON.stringify(last.content)}`
        : { toolCalls: [{ tool: 'ask_user', args }] }
    },
  })

for (const era of ERAS) {
  test(`${era}: it says who it is and what it does`, async () => {
    const { client } = await connectMcp(await openServer(), era)
    assert.is(client.getServerVersion()?.name, 'svc')
    assert.is(client.getNegotiatedProtocolVersion(), era)
    assert.match(client.getInstructions() ?? '', /background/)
    const { tools } = await client.listTools()
    assert.equal(
      tools.map(({ name }) => name),
      ['run', 'run_status', 'run_cancel'],
    )
    assert.equal(tools[0]?.inputSchema.required, ['task'])
    assert.equal((await client.listPrompts()).prompts, [])
    await client.close()
  })

  test(`${era}: a task is answered with its text and its facts, and says on its way how it goes on`, async () => {
    const world = await openServer()
    const mcp = await connectMcp(world, era)
    const heard: { progress: number; message?: string | undefined }[] = []
    const told = await callTool(mcp, 'run', { task: 'What is 6 times 7?' }, { onprogress: (one) => heard.push(one) })
    assert.is(told.text, 'The answer is 42.')
    assert.not(told.isError)
    const { id } = await newest(world)
    const { runId, status, verdict, usage } = told.output
    assert.equal({ runId, status, verdict }, { runId: id, status: 'completed', verdict: 'unverified' })
    assert.is((usage as { modelCalls: number }).modelCalls, 1)
    assert.equal(
      heard.map(({ progress }) => progress),
      heard.map((_, index) => index + 1),
    )
    assert.ok(heard.some(({ message }) => message?.includes('What is 6 times 7?')))
    await mcp.client.close()
  })

  test(`${era}: modes, budgets and conversations are those of any run`, async () => {
    const world = await openServer()
    const mcp = await connectMcp(world, era)
    const plan = await callTool(mcp, 'run', { task: 'Compare two sums', mode: 'plan', topology: 'parallel' })
    assert.is((plan.output.plan as { topology: string }).topology, 'PARALLEL')
    const analysis = await callTool(mcp, 'run', { task: 'Compare two sums', mode: 'analyze' })
    assert.type((analysis.output.analysis as { score: number }).score, 'number')
    for (const task of ['First', 'Second']) await callTool(mcp, 'run', { task, threadId: 'talk', tokenBudget: 9_000 })
    assert.equal(
      (await world.runtime.threads.messages('talk'))
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content),
      ['First', 'Second'],
    )
    await mcp.client.close()
  })

  test(`${era}: what is wrong comes as the result of the call, with its field`, async () => {
    const mcp = await connectMcp(await openServer(), era)
    const wrong = await callTool(mcp, 'run', { tasks: 'x' })
    assert.ok(wrong.isError)
    assert.match(wrong.text, /\/task is required/)
    assert.match(
      (await callTool(mcp, 'run', { task: 'x', model: 'nobody/knows' })).text,
      /model_not_found|unknown_provider/,
    )
    assert.match((await callTool(mcp, 'run_status', { runId: 'run_01ARZ3NDEKTSV4RRFFQ69G5FAV' })).text, /run_not_found/)
    assert.match((await callTool(mcp, 'run', { task: 'x'.repeat(200_001) })).text, /200.?000/)
    await refused(() => callTool(mcp, 'nothing', {}), /there is no tool "nothing"/)
    await mcp.client.close()
  })

  test(`${era}: a run that fails is an error`, async () => {
    const mcp = await connectMcp(
      await openServer({
        script: () => {
          throw new Error('no luck')
        },
      }),
      era,
    )
    const told = await callTool(mcp, 'run', { task: 'Try it' })
    assert.ok(told.isError)
    assert.is(told.output.status, 'failed')
    assert.match(told.text, /The run is failed/)
    await mcp.client.close()
  })

  test(`${era}: what needs approval asks the person with tool, arguments and risk, and is done when they say so`, async () => {
    const world = await openPosting()
    const mcp = await connectMcp(world, era, { answer: approve })
    const told = await callTool(mcp, 'run', post)
    assert.match(told.text, /I posted the message/)
    const [params] = mcp.asked
    assert.is(mcp.asked.length, 1)
    assert.match(params?.message ?? '', /post_message \(risk: network/)
    assert.match(params?.message ?? '', /hello/)
    const { id } = await newest(world)
    assert.equal(
      (await world.runtime.approvals.list()).data.map(({ runId, status, by }) => [runId, status, by]),
      [[id, 'approved', 'local']],
    )
    await mcp.client.close()
  })

  for (const [name, answer] of [
    ['a no', () => ({ action: 'accept', content: { decision: 'deny' } })],
    ['a refusal to answer', () => ({ action: 'decline' })],
    ['a closed question', () => ({ action: 'cancel' })],
    ['an answer that is none', () => ({ action: 'accept', content: { decision: 'sure' } })],
    ['an empty answer', () => ({ action: 'accept' })],
  ] as [string, NonNullable<McpClientOptions['answer']>][])
    test(`${era}: ${name} is no approval`, async () => {
      const world = await openPosting()
      const mcp = await connectMcp(world, era, { answer })
      const told = await callTool(mcp, 'run', post)
      assert.is(mcp.asked.length, 1)
      assert.equal(
        (await world.runtime.approvals.list()).data.map(({ status }) => status),
        ['denied'],
      )
      assert.is.not(told.output.verdict, 'pass')
      await mcp.client.close()
    })

  test(`${era}: nobody is asked where the client cannot, and the call is not made`, async () => {
    const world = await openPosting()
    const mcp = await connectMcp(world, era)
    await callTool(mcp, 'run', post)
    assert.equal((await world.runtime.approvals.list()).data, [])
    await mcp.client.close()
  })

  test(`${era}: a caller who may not decide is not asked, with a key and without`, async () => {
    const key = 'k'.repeat(40)
    const scoped = { name: 'alice', key, scopes: ['submit', 'approve'] as const }
    for (const [server, headers] of [
      [{}, {}],
      [{ keys: () => [scoped] }, { authorization: `Bearer ${key}` }],
    ] as [object, Record<string, string>][]) {
      const world = await openPosting(server)
      const mcp = await connectMcp(world, era, { answer: approve, headers })
      await callTool(mcp, 'run', post)
      assert.equal(mcp.asked, [])
      assert.equal((await world.runtime.approvals.list()).data, [])
      await mcp.client.close()
      await world.close()
    }
  })

  test(`${era}: a run that waits for another person goes on when they answer`, async () => {
    const world = await openPosting()
    const mcp = await connectMcp(world, era)
    const told = callTool(mcp, 'run', { ...post, approval: 'wait' })
    let id: string | undefined
    await until(async () => {
      id = (await world.runtime.approvals.list()).data[0]?.id
      return id !== undefined
    })
    await world.ask('POST', `/v1/approvals/${id}`, { body: { decision: 'approve' } })
    assert.match((await told).text, /I posted the message/)
    await mcp.client.close()
  })

  test(`${era}: a question that was answered elsewhere is not waited for`, async () => {
    const world = await openPosting()
    const mcp = await connectMcp(world, era, {
      async answer() {
        const [approval] = (await world.runtime.approvals.list()).data
        await world.ask('POST', `/v1/approvals/${approval?.id}`, { body: { decision: 'approve' } })
        // The current revision asks between two requests: the person has to come back.
        return era === '2025-11-25' ? new Promise(() => {}) : { action: 'cancel' }
      },
    })
    assert.match((await callTool(mcp, 'run', post)).text, /I posted the message/)
    await mcp.client.close()
  })

  test(`${era}: what a run asks its person is asked through the client`, async () => {
    for (const [args, content, heard] of [
      [{ question: 'Which region?' }, { answer: 'north' }, /north/],
      [{ question: 'Which one?', choices: ['a1', 'b2'] }, { answer: 'b2' }, /b2/],
    ] as [object, Record<string, string>, RegExp][]) {
      const world = await asking(args)()
      const mcp = await connectMcp(world, era, { answer: () => ({ action: 'accept', content }) })
      assert.match((await callTool(mcp, 'run', { task: 'Ask me', topology: 'SINGLE' })).text, heard)
      assert.match(mcp.asked[0]?.message ?? '', /The run asks: Which/)
      await mcp.client.close()
      await world.close()
    }
  })

  test(`${era}: an answer that fits no choice is asked for again, with the reason`, async () => {
    const answers = ['c3', 'a1']
    const mcp = await connectMcp(await asking({ question: 'Which one?', choices: ['a1', 'b2'] })(), era, {
      answer: () => ({ action: 'accept', content: { answer: answers.shift() ?? '' } }),
    })
    assert.match((await callTool(mcp, 'run', { task: 'Ask me', topology: 'SINGLE' })).text, /a1/)
    assert.match(mcp.asked[1]?.message ?? '', /This cannot be taken/)
    await mcp.client.close()
  })

  test(`${era}: who does not answer a question lets the run go on without`, async () => {
    const mcp = await connectMcp(await asking({ question: 'Which region?' })(), era, {
      answer: () => ({ action: 'decline' }),
    })
    assert.match((await callTool(mcp, 'run', { task: 'Ask me', topology: 'SINGLE' })).text, /nobody answered/)
    await mcp.client.close()
  })

  test(`${era}: a call that is cancelled ends the run and its model call`, async () => {
    const model = pausing()
    const world = await openServer({ script: model.script })
    const mcp = await connectMcp(world, era)
    const stop = new AbortController()
    const told = callTool(mcp, 'run', { task: 'Think' }, { signal: stop.signal }).catch((error: Error) => error)
    await model.isAsked
    stop.abort()
    assert.instance(await told, Error)
    await until(async () => (await newest(world)).status === 'cancelled')
    await mcp.client.close()
  })

  test(`${era}: a client that leaves ends what only it waited for`, async () => {
    const model = pausing()
    const world = await openServer({ script: model.script })
    const mcp = await connectMcp(world, era)
    const told = callTool(mcp, 'run', { task: 'Think' }).catch((error: Error) => error)
    await model.isAsked
    await mcp.transport.close()
    assert.instance(await told, Error)
    await until(async () => (await newest(world)).status === 'cancelled')
  })

  test(`${era}: what runs in the background goes on without its client, and is read and cancelled by its id`, async () => {
    const model = pausing()
    const world = await openServer({ script: model.script })
    const mcp = await connectMcp(world, era)
    const { output, text } = await callTool(mcp, 'run', { task: 'Think', background: true })
    assert.match(text, /run_status shows it/)
    assert.not(isTerminal(output.status as Run['status']))
    await mcp.client.close()
    const again = await connectMcp(world, era)
    const { runId } = output
    const kept = await callTool(again, 'run', { task: 'Think too', background: true })
    await callTool(again, 'run_cancel', { runId: kept.output.runId })
    assert.is(
      (await callTool(again, 'run_status', { runId: kept.output.runId, waitMs: 60_000 })).output.status,
      'cancelled',
    )
    model.answer()
    const ended = await callTool(again, 'run_status', { runId, waitMs: 60_000 })
    assert.is(ended.text, 'The answer is 42.')
    assert.is((await callTool(again, 'run_status', { runId })).output.status, 'completed')
    await again.client.close()
  })

  test(`${era}: runs and the files that they wrote are resources`, async () => {
    const world = await openPosting()
    const mcp = await connectMcp(world, era, { answer: approve })
    const { output } = await callTool(mcp, 'run', { task: 'Write the note', topology: 'SINGLE' })
    const files = output.files as { uri: string; name: string }[]
    assert.is(files.length, 2)
    const { resources } = await mcp.client.listResources()
    assert.equal(
      resources.map(({ uri, title }) => [uri, title]),
      [[`svc://runs/${output.runId}`, 'Write the note']],
    )
    const [run] = (await mcp.client.readResource({ uri: `svc://runs/${output.runId}` })).contents
    assert.is(JSON.parse((run as { text: string }).text).runId, output.runId)
    const texts = await Promise.all(files.map(async ({ uri }) => (await mcp.client.readResource({ uri })).contents[0]))
    assert.equal(
      texts.map((content) => (content as { text: string }).text),
      [NOTES[0]?.content, 'one\nzwölf\n'],
    )
    for (const uri of [
      'svc://runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      `svc://runs/${output.runId}/artifacts/none`,
      'file:///etc/passwd',
    ])
      await refused(() => mcp.client.readResource({ uri }), /not found/i)
    await mcp.client.close()
  })
}

test('a key sees its own runs alone', async () => {
  const [alice, bob] = ['alice', 'bob'].map((name) => ({ name, key: name.repeat(10), scopes: ['submit'] as const }))
  if (alice === undefined || bob === undefined) throw new Error('no keys')
  const world = await openServer({ server: { keys: () => [alice, bob] } })
  for (const era of ERAS) {
    const hers = await connectMcp(world, era, { headers: { authorization: `Bearer ${alice.key}` } })
    const his = await connectMcp(world, era, { headers: { authorization: `Bearer ${bob.key}` } })
    const { output } = await callTool(hers, 'run', { task: 'A secret' })
    assert.match((await callTool(his, 'run_status', { runId: output.runId })).text, /run_not_found/)
    assert.match((await callTool(his, 'run_cancel', { runId: output.runId })).text, /run_not_found/)
    assert.equal((await his.client.listResources()).resources, [])
    await hers.client.close()
    await his.client.close()
  }
})

test.run()
