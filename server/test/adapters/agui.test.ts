/** AG-UI with the official client, whose verifier holds each stream against the protocol. */
import { type AgentSubscriber, HttpAgent, type Interrupt, type Message, type RunFinishedEvent } from '@ag-ui/client'
import { isTerminal } from '@svc/core'
import * as assert from 'uvu/assert'
import { tagOf } from '../../src/adapters/agui/pending.ts'
import { createDrafts } from '../fixtures/drafts.ts'
import { makeFolder } from '../fixtures/folder.ts'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { createGate, until } from '../fixtures/until.ts'

const test = serverSuite('AG-UI')

const connect = (
  { url, server }: Pick<OpenServer, 'url' | 'server'>,
  initialMessages: Message[] = [],
  threadId = 'talk',
): HttpAgent =>
  new HttpAgent({ url: `${url}/agui`, threadId, initialMessages, headers: { 'x-api-key': server.localKey } })

let messages = 0
const user = (content: string): Message => ({ id: `u-${++messages}`, role: 'user', content })

/** What a run showed: its events by type, how it finished, and what failed. */
async function run(agent: HttpAgent, parameters: Parameters<HttpAgent['runAgent']>[0] = {}) {
  const types: string[] = []
  const tools: string[] = []
  let finished: RunFinishedEvent | undefined
  let error: string | undefined
  const subscriber: AgentSubscriber = {
    onEvent: ({ event }) => void types.push(event.type),
    onToolCallEndEvent: ({ toolCallName, toolCallArgs }) =>
      void tools.push(`${toolCallName} ${JSON.stringify(toolCallArgs)}`),
    onRunFinishedEvent: ({ event }) => {
      finished = event
    },
    onRunErrorEvent: ({ event }) => {
      error = event.message
    },
  }
  const { newMessages } = await agent.runAgent(parameters, subscriber)
  return { types, tools, finished, error, newMessages }
}

const texts = (list: readonly Message[]): string[] =>
  list.flatMap((message) => (message.role === 'assistant' && message.content ? [message.content] : []))

test('a conversation is answered, piece by piece, and its state says what it was', async () => {
  const world = await openServer()
  const agent = connect(world, [user('What is 6 times 7?')])
  agent.state = { own: 1 }
  const seen = await run(agent)
  assert.equal(texts(seen.newMessages), ['The answer is 42.'])
  assert.is(seen.types[0], 'RUN_STARTED')
  assert.ok(seen.types.filter((type) => type === 'TEXT_MESSAGE_CONTENT').length > 2)
  assert.ok(seen.types.includes('STEP_STARTED') && seen.types.includes('STEP_FINISHED'))
  assert.is(seen.finished?.outcome?.type, 'success')
  assert.ok((seen.finished?.usage?.[0]?.totalTokens ?? 0) > 0)
  const { own, svc } = agent.state as { own: number; svc: { status: string; runId: string } }
  assert.is(own, 1)
  assert.is(svc.status, 'completed')
  assert.is((await world.runtime.runs.get(svc.runId)).status, 'completed')
})

test('the model is sent the whole conversation, the instructions and the context of the page', async () => {
  const world = await openServer({ script: ({ messages }) => (messages.length > 3 ? 'Nine.' : 'Four.') })
  const agent = connect(world, [{ id: 's', role: 'system', content: 'Answer in one word.' }, user('Two and two?')])
  await run(agent)
  agent.addMessage(user('And five more?'))
  const seen = await run(agent, { context: [{ description: 'The page', value: 'sums' }] })
  assert.equal(texts(seen.newMessages), ['Nine.'])
  const sent = world.provider.requests.at(-1)?.messages ?? []
  assert.match(JSON.stringify(sent[0]), /Answer in one word/)
  const roles = sent.map(({ role }) => role)
  assert.equal(roles.slice(1, 4), ['user', 'assistant', 'user'])
  assert.match(JSON.stringify(sent.at(-1)), /The page:.*sums/)
})

test('tools of the page are called there, and the next request goes on with the run', async () => {
  const world = await openServer({
    script: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'It is green now.'
        : { text: 'I paint it.', toolCalls: [{ tool: 'client.paint', args: { colour: 'green' } }] },
  })
  const agent = connect(world, [user('Make the page green')])
  const tools = [
    {
      name: 'paint',
      description: 'paints',
      parameters: { type: 'object', properties: { colour: { type: 'string' } } },
    },
  ]
  const first = await run(agent, { tools })
  assert.equal(first.tools, ['paint {"colour":"green"}'])
  const { outcome } = first.finished ?? {}
  const ids = outcome?.type === 'success' ? (outcome.pendingToolCallIds ?? []) : []
  assert.is(ids.length, 1)
  agent.addMessage({ id: 't-1', role: 'tool', toolCallId: ids[0] ?? '', content: 'painted' })
  const second = await run(agent, { tools })
  assert.equal(texts(second.newMessages), ['It is green now.'])
  assert.is((await world.runtime.runs.list()).data.length, 1)
  agent.addMessage(user('Thanks'))
  await run(agent, { tools })
  assert.match(JSON.stringify(world.provider.requests.at(-1)?.messages), /painted/)
})

test("calls of svc's own tools are shown with what came of them, and are not sent back to the model", async () => {
  const drafts = createDrafts()
  const world = await openServer({ plugins: [drafts.plugin], config: { model: 'drafts/drafts' } })
  drafts.play([{ pieces: ['I ', 'look.'], calls: true }, { pieces: ['It is ', 'seen.'] }])
  const agent = connect(world, [user('Look')])
  const seen = await run(agent)
  assert.equal(seen.tools, ['look {}'])
  assert.ok(seen.types.includes('TOOL_CALL_RESULT'))
  assert.equal(texts(seen.newMessages), ['I look.', 'It is seen.'])
  assert.ok(agent.messages.some(({ role }) => role === 'tool'))
  drafts.play([{ pieces: ['Again.'] }])
  agent.addMessage(user('Again'))
  assert.equal(texts((await run(agent)).newMessages), ['Again.'])
})

for (const next of ['better', 'worse'] as const)
  test(`a draft that is rejected is marked, and the answer stands last: the next is ${next}`, async () => {
    const drafts = createDrafts()
    const world = await openServer({ plugins: [drafts.plugin], config: { model: 'drafts/drafts' } })
    drafts.play([{ pieces: ['One', ' thing'], next }, { pieces: ['Another', ' thing'] }])
    const agent = connect(world, [user('Say a thing')])
    const seen = await run(agent)
    const answer = next === 'better' ? 'Another thing' : 'One thing'
    const said = texts(seen.newMessages)
    assert.is(said.at(-1), answer)
    assert.is(said[0], 'One thing')
    assert.equal(seen.newMessages[0]?.metadata, { svc: { isReplaced: true } })
    drafts.play([{ pieces: ['Yes.'] }])
    agent.addMessage(user('Really?'))
    await run(agent)
  })

test('an approval is an interrupt: approved, it is done; denied, it is not', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const agent = connect(world, [user('Post a message to the team')])
  const first = await run(agent)
  assert.is(first.finished?.outcome?.type, 'interrupt')
  const [interrupt] = agent.pendingInterrupts as Interrupt[]
  assert.is(interrupt?.reason, 'tool_call')
  const calls = agent.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  assert.is(interrupt?.toolCallId, calls[0]?.id)
  assert.is(calls[0]?.function.name, 'post_message')
  const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } }]
  const second = await run(agent, { resume })
  assert.equal(texts(second.newMessages), ['I posted the message "hello".'])
  assert.not.ok(second.types.includes('TOOL_CALL_START'))
  assert.ok(second.types.includes('TOOL_CALL_RESULT'))
  const replayed = await run(agent, { resume })
  assert.match(replayed.error ?? '', /does not wait for/)

  const other = connect(world, [user('Post a message to the team')], 'other')
  await run(other)
  const id = other.pendingInterrupts[0]?.id ?? ''
  const denied = await run(other, { resume: [{ interruptId: id, status: 'resolved', payload: { approved: false } }] })
  assert.is(denied.finished?.outcome?.type, 'success')
  const { svc } = other.state as { svc: { runId: string } }
  const { toolCalls } = (await world.runtime.runs.get(svc.runId)).result as { toolCalls: { denied: number } }
  assert.is(toolCalls.denied, 1)
})

test('what does not fit what the thread waits for is an error of the run, and changes nothing', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const agent = connect(world, [user('Post a message to the team')])
  await run(agent)
  const id = agent.pendingInterrupts[0]?.id ?? ''
  const waiting = (agent.state as { svc: { runId: string } }).svc.runId

  const meanwhile = await run(connect(world, [user('Something else')]))
  assert.match(meanwhile.error ?? '', new RegExp(id))
  const elsewhere = await run(connect(world, [], 'elsewhere'), {
    resume: [{ interruptId: id, status: 'resolved', payload: { approved: true } }],
  })
  assert.match(elsewhere.error ?? '', /of another thread/)
  const unfit = await run(connect(world, []), { resume: [{ interruptId: id, status: 'resolved', payload: 'sure' }] })
  assert.match(unfit.error ?? '', /"approved": true/)
  assert.is((await world.runtime.runs.get(waiting)).status, 'waiting')
})

test('all interrupts of a thread are answered at once: one that is left out is named', async () => {
  const world = await openServer({
    plugins: [posting()],
    script: (_request, call) =>
      call < 2 ? { toolCalls: [{ tool: 'post_message', args: { text: 'hello' } }] } : 'It is posted.',
  })
  const task = 'Post a message about north.md and post a message about south.md, then compare the two.'
  const tags = [tagOf('talk')]
  const begun = await world.runtime.runs.create({ task, topology: 'PARALLEL', approval: 'wait', reflect: false, tags })
  await until(async () => (await world.runtime.approvals.list({ status: 'pending' })).data.length === 2)
  const agent = connect(world, [])
  const open = await run(connect(world, [user('And now?')]))
  agent.pendingInterrupts = (open.error?.match(/apr_\w+/g) ?? []).map((id) => ({ id, reason: 'tool_call' }))
  const [first = '', second = ''] = agent.pendingInterrupts.map(({ id }) => id)
  const answer = (interruptId: string) => ({ interruptId, status: 'resolved' as const, payload: { approved: true } })
  const half = await run(connect(world, []), { resume: [answer(first)] })
  assert.ok(half.error?.includes(second) && !half.error.includes(first), half.error)
  const edited = { ...answer(second), payload: { approved: true, editedArgs: { text: 'three' } } }
  const whole = await run(agent, { resume: [answer(first), edited] })
  assert.is(whole.finished?.outcome?.type, 'success')
  const decisions = (await world.runtime.approvals.list()).data.map(({ decision }) => decision).sort()
  assert.equal(decisions, ['approve', 'edit'])
  assert.ok(isTerminal((await world.runtime.runs.get(begun.id)).status))
})

test('a question is an interrupt whose payload is the answer', async () => {
  const world = await openServer({
    script: ({ messages }) => {
      const answer = messages.find(({ role }) => role === 'tool')
      if (answer !== undefined) return `You said ${JSON.stringify(answer.content)}.`
      return { toolCalls: [{ tool: 'ask_user', args: { question: 'Which one?', choices: ['north', 'south'] } }] }
    },
  })
  const agent = connect(world, [user('Close one of the shops')])
  await run(agent)
  const [interrupt] = agent.pendingInterrupts
  assert.is(interrupt?.reason, 'input_required')
  assert.is(interrupt?.message, 'Which one?')
  const interruptId = interrupt?.id ?? ''
  const wrong = await run(connect(world, []), { resume: [{ interruptId, status: 'resolved', payload: 'west' }] })
  assert.ok(wrong.error)
  const seen = await run(agent, { resume: [{ interruptId, status: 'resolved', payload: 'north' }] })
  assert.match(texts(seen.newMessages).join(), /north/)
})

test('who leaves ends the run that only they waited for', async () => {
  const gate = createGate()
  const world = await openServer({
    script: async () => {
      await gate.passed
      return 'The answer is 42.'
    },
  })
  const agent = connect(world, [user('What is 6 times 7?')])
  const running = run(agent).catch(() => undefined)
  await until(() => world.provider.requests.length === 1)
  agent.abortRun()
  await running
  const status = async () => (await world.runtime.runs.list()).data[0]?.status
  await until(async () => (await status()) === 'cancelled')
})

test('a run that fails is an error', async () => {
  const world = await openServer({
    script: () => {
      throw new Error('no')
    },
  })
  const seen = await run(connect(world, [user('What is 6 times 7?')]))
  assert.ok(seen.error)
  assert.is(seen.types.at(-1), 'RUN_ERROR')
})

test('requests that are refused say why, in the shape of a run error', async () => {
  const world = await openServer({ server: { keys: () => ['k'.repeat(43)] } })
  const body = { threadId: 't', runId: 'r', messages: [], tools: [], context: [] }
  const refused = await world.askAs({}, 'POST', '/agui', body)
  assert.is(refused.status, 401)
  assert.is(refused.json.code, 'unauthenticated')
  const key = { authorization: `Bearer ${'k'.repeat(43)}` }
  const empty = await world.askAs(key, 'POST', '/agui', body)
  assert.is(empty.status, 400)
  assert.match(String(empty.json.message), /must hold a message of the user/)
  const fetched = await world.askAs(key, 'POST', '/agui', {
    ...body,
    messages: [
      { id: '1', role: 'user', content: [{ type: 'image', source: { type: 'url', value: 'http://127.0.0.1/a.png' } }] },
    ],
  })
  assert.is(fetched.status, 400)
  assert.match(String(fetched.json.message), /\/messages\/0\/content\/0\/source\/type must be/)
})

test('a conversation of 200 turns, with 20 MB of images, is answered, and the next one too', async () => {
  const models = [{ id: 'scripted', tools: true, images: true, context: 1_000_000 }]
  const world = await openServer({ models })
  const head = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64')
  const value = Buffer.concat([head, Buffer.alloc(3_400_000, 1)]).toString('base64')
  const image = { type: 'image' as const, source: { type: 'data' as const, value, mimeType: 'image/png' } }
  const said = Array.from({ length: 200 }, (_, turn): Message[] => [
    {
      id: `q${turn}`,
      role: 'user',
      content: turn < 6 ? [{ type: 'text', text: `Question ${turn}` }, image] : `Question ${turn}`,
    },
    { id: `a${turn}`, role: 'assistant', content: `Answer ${turn}` },
  ])
  const agent = connect(world, [...said.flat(), user('And now?')])
  assert.equal(texts((await run(agent)).newMessages), ['The answer is 42.'])
  const sent = world.provider.requests.at(-1)?.messages ?? []
  assert.ok(sent.length > 300)
  assert.is(sent.flatMap(({ content }) => content).filter(({ type }) => type === 'image').length, 6)
  agent.addMessage(user('And then?'))
  assert.equal(texts((await run(agent)).newMessages), ['The answer is 42.'])
})

test('what a model is not sent of a long conversation is said in the state', async () => {
  const world = await openServer()
  const long = Array.from({ length: 80 }, (_, index): Message => {
    const content = `${index}: ${'word '.repeat(500)}`
    return index % 2 === 0 ? user(content) : { id: `a-${index}`, role: 'assistant', content }
  })
  const agent = connect(world, [...long, user('What is 6 times 7?')])
  await run(agent)
  const { svc } = agent.state as { svc: { warnings?: { code: string }[] } }
  assert.equal(
    svc.warnings?.map(({ code }) => code),
    ['turns_left_out'],
  )
})

test('an interrupt outlives its server', async () => {
  const runtime = { persist: { dir: makeFolder() } }
  const options = { script: postingScript, plugins: [posting()], runtime }
  const first = await openServer(options)
  const before = connect(first, [user('Post a message to the team')])
  await run(before)
  const interruptId = before.pendingInterrupts[0]?.id ?? ''
  await first.close()
  const second = await openServer(options)
  const after = connect(second, before.messages)
  const blocked = await run(after)
  assert.match(blocked.error ?? '', new RegExp(interruptId))
  const seen = await run(after, { resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] })
  assert.equal(texts(seen.newMessages), ['I posted the message "hello".'])
  assert.not.ok(seen.types.includes('TOOL_CALL_START'))
  const [result] = after.messages.filter(({ role }) => role === 'tool')
  const [asked] = before.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  assert.is(result?.role === 'tool' && result.toolCallId, asked?.id)
})

test('a page keeps its own state, however long that is', async () => {
  const world = await openServer()
  const agent = connect(world, [user('What is 6 times 7?')])
  agent.state = { own: 'x'.repeat(2_000_000) }
  assert.equal(texts((await run(agent)).newMessages), ['The answer is 42.'])
  const { own, svc } = agent.state as { own: string; svc: { status: string } }
  assert.is(own.length, 2_000_000)
  assert.is(svc.status, 'completed')
})

test('a run that somebody else ends is shown as cancelled', async () => {
  const world = await openServer({ script: () => new Promise<never>(() => {}) })
  const running = run(connect(world, [user('What is 6 times 7?')]))
  await until(() => world.provider.requests.length === 1)
  const [begun] = (await world.runtime.runs.list()).data
  await world.runtime.runs.cancel(begun?.id ?? '')
  assert.is((await running).finished?.outcome?.type, 'cancelled')
})

test('pages of allowed origins may ask, and no others', async () => {
  const world = await openServer({ server: { allowedOrigins: ['https://page.example'] } })
  const body = { threadId: 't', runId: 'r', messages: [user('What is 6 times 7?')], tools: [], context: [] }
  const asked = await world.ask('POST', '/agui', { body, headers: { origin: 'https://page.example' } })
  assert.is(asked.status, 200)
  assert.is(asked.headers.get('access-control-allow-origin'), 'https://page.example')
  const before = await world.askAs({ origin: 'https://page.example' }, 'OPTIONS', '/agui')
  assert.is(before.status, 204)
  assert.is((await world.ask('POST', '/agui', { body, headers: { origin: 'https://other.example' } })).status, 403)
})

test('the binary form carries the same events', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const agent = connect(world, [user('Post a message to the team')])
  const types: string[] = []
  agent.fetch = async (url, init) => {
    const headers = { ...(init.headers as Record<string, string>), Accept: 'application/vnd.ag-ui.event+proto' }
    const response = await fetch(url, { ...init, headers })
    types.push(response.headers.get('content-type') ?? '')
    return response
  }
  const first = await run(agent)
  assert.equal(first.tools, ['post_message {"text":"hello"}'])
  const [interrupt] = agent.pendingInterrupts
  assert.is(interrupt?.reason, 'tool_call')
  const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } }]
  assert.equal(texts((await run(agent, { resume })).newMessages), ['I posted the message "hello".'])
  assert.equal(types, ['application/vnd.ag-ui.event+proto', 'application/vnd.ag-ui.event+proto'])
  assert.is((agent.state as { svc: { status: string } }).svc.status, 'completed')
})

test.run()
