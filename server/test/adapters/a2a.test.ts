/** A2A 1.0 with the official client, over both of its bindings. */

import { type Message, Role, type SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { createDrafts } from '../fixtures/drafts.ts'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { createGate, until } from '../fixtures/until.ts'

const test = serverSuite('A2A')
const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const

/** Fetch with a key; default that of this machine. */
const withKey =
  (key: string): typeof fetch =>
  (url, init) =>
    fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), authorization: `Bearer ${key}` } })

function connect(world: OpenServer, binding: string, key = world.server.localKey): Promise<Client> {
  const fetchImpl = withKey(key)
  const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })]
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports,
    preferredTransports: [binding],
  })
  return new ClientFactory(options).createFromUrl(world.url)
}

let messages = 0
const ask = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: `m-${++messages}`,
  role: Role.ROLE_USER,
  parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
  contextId: '',
  taskId: '',
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
})
const sending = (message: Message, returnImmediately = false): SendMessageRequest => ({
  tenant: '',
  message,
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
  metadata: undefined,
})

const isTask = (answered: Message | Task): answered is Task => 'artifacts' in answered
async function send(client: Client, message: Message, returnImmediately = false): Promise<Task> {
  const answered = await client.sendMessage(sending(message, returnImmediately))
  if (!isTask(answered)) throw new Error('the answer is no task')
  return answered
}

const textOf = (task: Task | undefined): string =>
  (task?.artifacts[0]?.parts ?? []).map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')
const said = (task: Task): string =>
  (task.status?.message?.parts ?? []).map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('\n')
const data = (value: unknown): Message['parts'][number] => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
})

/** The answer of a stream, put together as a client does, with its states and the kinds of its messages. */
async function read(stream: AsyncIterable<StreamResponse>, onTask = (): void => {}) {
  const kinds: string[] = []
  const states: TaskState[] = []
  let text = ''
  let task: Task | undefined
  let isLast = false
  for await (const { payload } of stream) {
    kinds.push(payload?.$case ?? '')
    if (payload?.$case === 'task') {
      task = payload.value
      onTask()
    }
    if (payload?.$case === 'statusUpdate' && payload.value.status) states.push(payload.value.status.state)
    if (payload?.$case !== 'artifactUpdate') continue
    const piece = (payload.value.artifact?.parts ?? [])
      .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
      .join('')
    text = payload.value.append ? text + piece : piece
    isLast = payload.value.lastChunk
  }
  return { kinds, states, text, task, isLast }
}

/** Two agents, each of which posts. */
const TWO = 'Post a message about north.md and post a message about south.md, then compare the two.'
const eachPosts: Script = (_request, call) =>
  call < 2 ? { toolCalls: [{ tool: 'post_message', args: { text: 'hello' } }] } : 'It is posted.'

test('the card names both bindings, with the address that was asked', async () => {
  const world = await openServer()
  const { json, headers } = await world.askAs({}, 'GET', '/.well-known/agent-card.json')
  assert.equal(json.supportedInterfaces, [
    { url: `${world.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: `${world.url}/a2a/v1`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  ])
  assert.equal(json.securityRequirements, [])
  assert.ok(headers.get('etag'))
  const again = await world.askAs({ 'if-none-match': headers.get('etag') ?? '' }, 'GET', '/.well-known/agent-card.json')
  assert.is(again.status, 304)
})

for (const binding of BINDINGS) {
  test(`${binding}: a message makes a task whose artifact is the answer`, async () => {
    const world = await openServer()
    const client = await connect(world, binding)
    const message = ask('What is 6 times 7?')
    const task = await send(client, message)
    assert.is(task.status?.state, TaskState.TASK_STATE_COMPLETED)
    assert.is(textOf(task), 'The answer is 42.')
    assert.is((await world.runtime.runs.get(task.id)).threadId, task.contextId)
    assert.is(task.history[0]?.messageId, message.messageId)
    const got = await client.getTask({ tenant: '', id: task.id })
    assert.equal(got, task)
    assert.equal((await client.getTask({ tenant: '', id: task.id, historyLength: 0 })).history, [])
  })

  test(`${binding}: a stream begins with the task, adds pieces to the answer and ends with the state`, async () => {
    const world = await openServer()
    const client = await connect(world, binding)
    const seen = await read(client.sendMessageStream(sending(ask('What is 6 times 7?'))))
    assert.is(seen.kinds[0], 'task')
    assert.is(seen.text, 'The answer is 42.')
    assert.ok(seen.isLast)
    assert.ok(seen.kinds.filter((kind) => kind === 'artifactUpdate').length > 2)
    assert.is(seen.states[0], TaskState.TASK_STATE_WORKING)
    assert.is(seen.states.at(-1), TaskState.TASK_STATE_COMPLETED)
    assert.is(seen.kinds.at(-1), 'statusUpdate')
  })

  test(`${binding}: a context is a conversation, new or gone on with`, async () => {
    const world = await openServer({
      script: ({ messages }) => `${messages.filter(({ role }) => role === 'user').length} messages so far`,
    })
    const client = await connect(world, binding)
    const first = await send(client, ask('One'))
    const second = await send(client, ask('Two', { contextId: first.contextId }))
    assert.is(second.contextId, first.contextId)
    assert.is(textOf(second), '2 messages so far')
    const own = await send(client, ask('Three', { contextId: 'talk-of-mine' }))
    assert.is(own.contextId, 'talk-of-mine')
    const listed = await client.listTasks({
      tenant: '',
      contextId: first.contextId,
      status: TaskState.TASK_STATE_COMPLETED,
      pageSize: 1,
      pageToken: '',
      statusTimestampAfter: undefined,
    })
    assert.is(listed.totalSize, 2)
    assert.is(listed.tasks.length, 1)
    assert.equal(listed.tasks[0]?.artifacts, [])
    const rest = await client.listTasks({
      tenant: '',
      contextId: first.contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageSize: 1,
      pageToken: listed.nextPageToken,
      statusTimestampAfter: undefined,
      includeArtifacts: true,
    })
    assert.is(rest.nextPageToken, '')
    assert.equal([listed.tasks[0]?.id, rest.tasks[0]?.id].sort(), [first.id, second.id].sort())
    assert.ok(textOf(rest.tasks[0]).endsWith('so far'))
  })

  test(`${binding}: a task that asks is answered by a message of yes, no or data`, async () => {
    const world = await openServer({ script: postingScript, plugins: [posting()] })
    const client = await connect(world, binding)
    const task = await send(client, ask('Post a message to the team'))
    assert.is(task.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    assert.match(said(task), /wants to use post_message .*May it be called\?/s)
    const asked = task.status?.message?.parts[1]?.content
    assert.is(asked?.$case === 'data' && (asked.value as { approval: { tool: string } }).approval.tool, 'post_message')
    const unclear = await client.sendMessage(sending(ask('perhaps', { taskId: task.id }))).catch(String)
    assert.match(String(unclear), /yes or no/)
    const other = await client.sendMessage(sending(ask('yes', { taskId: task.id, contextId: 'another' }))).catch(String)
    assert.match(String(other), /contextId/)
    const waiting = await client.sendMessage(sending(ask('And more', { contextId: task.contextId }))).catch(String)
    assert.match(String(waiting), /waits for an answer/)
    const seen = await read(client.sendMessageStream(sending(ask('yes', { taskId: task.id }))))
    assert.is(seen.states.at(-1), TaskState.TASK_STATE_COMPLETED)
    assert.is(seen.text, 'I posted the message "hello".')

    const second = await send(client, ask('Post a message to the team'))
    const denied = await send(
      client,
      ask('', { taskId: second.id, parts: [data({ approved: false, note: 'not today' })] }),
    )
    assert.is(denied.id, second.id)
    const facts = (await world.runtime.runs.get(second.id)).result as { toolCalls: { denied: number } }
    assert.is(facts.toolCalls.denied, 1)
  })

  test(`${binding}: of several approvals each is answered by its id`, async () => {
    const world = await openServer({ script: eachPosts, plugins: [posting()] })
    const client = await connect(world, binding)
    const { id } = await world.runtime.runs.create({
      task: TWO,
      topology: 'PARALLEL',
      approval: 'wait',
      reflect: false,
    })
    await until(async () => (await world.runtime.approvals.list({ status: 'pending' })).data.length === 2)
    const task = await client.getTask({ tenant: '', id })
    const ids = (task.status?.message?.parts ?? []).flatMap(({ content }) =>
      content?.$case === 'data' ? [(content.value as { approval: { id: string } }).approval.id] : [],
    )
    assert.is(ids.length, 2)
    const unclear = await client.sendMessage(sending(ask('yes', { taskId: task.id }))).catch(String)
    assert.ok(
      ids.every((id) => String(unclear).includes(id)),
      String(unclear),
    )
    const answer = (at: number) => ask('', { taskId: task.id, parts: [data({ approvalId: ids[at], approved: true })] })
    const half = await send(client, answer(0))
    assert.is(half.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    assert.not.match(JSON.stringify(half.status?.message), new RegExp(ids[0] ?? ''))
    const whole = await read(client.sendMessageStream(sending(answer(1))))
    assert.match(whole.text, /posted/)
    assert.is(whole.states.at(-1), TaskState.TASK_STATE_COMPLETED)
  })

  test(`${binding}: a question is answered in words`, async () => {
    const world = await openServer({
      script: ({ messages }) => {
        const answer = messages.find(({ role }) => role === 'tool')
        if (answer !== undefined) return `You said ${JSON.stringify(answer.content)}.`
        return { toolCalls: [{ tool: 'ask_user', args: { question: 'Which one?', choices: ['north', 'south'] } }] }
      },
    })
    const client = await connect(world, binding)
    const task = await send(client, ask('Close one of the shops'))
    assert.match(said(task), /Which one\?/)
    const wrong = await client.sendMessage(sending(ask('west', { taskId: task.id }))).catch(String)
    assert.match(String(wrong), /north/)
    assert.match(textOf(await send(client, ask('north', { taskId: task.id }))), /north/)
  })

  test(`${binding}: what is said before a call, and a draft that is rejected, are replaced by the answer`, async () => {
    const drafts = createDrafts()
    const world = await openServer({ plugins: [drafts.plugin], config: { model: 'drafts/drafts' } })
    const client = await connect(world, binding)
    for (const next of ['better', 'worse'] as const) {
      drafts.play([
        { pieces: ['I ', 'look.'], calls: true },
        { pieces: ['One', ' thing'], next },
        { pieces: ['Another', ' thing'] },
      ])
      const { text } = await read(client.sendMessageStream(sending(ask('Say a thing'))))
      assert.is(text, next === 'better' ? 'Another thing' : 'One thing')
    }
  })

  test(`${binding}: who leaves a stream ends nothing, and comes back to it`, async () => {
    const gate = createGate()
    const world = await openServer({
      script: async () => {
        await gate.passed
        return 'The answer is 42.'
      },
    })
    const client = await connect(world, binding)
    const task = await send(client, ask('What is 6 times 7?'), true)
    assert.is.not(task.status?.state, TaskState.TASK_STATE_COMPLETED)
    const leave = new AbortController()
    const left = read(client.resubscribeTask({ tenant: '', id: task.id }, { signal: leave.signal })).catch(() => {})
    await until(() => world.provider.requests.length === 1)
    leave.abort()
    await left
    const seen = await read(client.resubscribeTask({ tenant: '', id: task.id }), gate.open)
    assert.is(seen.kinds[0], 'task')
    assert.is(seen.text, 'The answer is 42.')
    assert.is(seen.states.at(-1), TaskState.TASK_STATE_COMPLETED)
    const over = await read(client.resubscribeTask({ tenant: '', id: task.id })).catch(String)
    assert.match(String(over), /has ended/)
  })

  test(`${binding}: cancelling ends the task, and one that has ended is not cancelled`, async () => {
    const world = await openServer({ script: () => new Promise<never>(() => {}) })
    const client = await connect(world, binding)
    const task = await send(client, ask('What is 6 times 7?'), true)
    const ended = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    assert.is(ended.status?.state, TaskState.TASK_STATE_CANCELED)
    const again = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined }).catch((error) => error)
    assert.is(again.name.replace(/^(Rest|JsonRpc)/, ''), 'TaskNotCancelableError')
    const more = await client.sendMessage(sending(ask('And?', { taskId: task.id }))).catch((error) => error)
    assert.is(more.name.replace(/^(Rest|JsonRpc)/, ''), 'UnsupportedOperationError')
  })
}
test('what a model is not sent of a long conversation is said beside the answer', async () => {
  const client = await connect(await openServer(), 'JSONRPC')
  const long = 'word '.repeat(20_000)
  let task = await send(client, ask(long))
  for (let count = 0; count < 3; count++) task = await send(client, ask(long, { contextId: task.contextId }))
  const metadata = task.artifacts[0]?.metadata as { warnings?: { code: string }[] } | undefined
  assert.ok(
    metadata?.warnings?.some(({ code }) => code === 'turns_left_out'),
    JSON.stringify(metadata),
  )
})

test.run()
