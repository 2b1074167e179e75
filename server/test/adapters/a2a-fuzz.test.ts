/** Requests of A2A that nobody would send: each is answered as the protocol has it, and nothing breaks. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { createTally, FUZZ, mutated } from './mutated-requests.ts'

const test = serverSuite('mutated requests of A2A')
const tally = createTally()

interface Things {
  ended: string
  waiting: string
}

async function makeThings(world: OpenServer): Promise<Things> {
  const task = async (text: string): Promise<string> => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] }
    const headers = { 'a2a-version': '1.0' }
    const { json } = await world.ask('POST', '/a2a/v1/message:send', { body: { message }, headers })
    return (json.task as { id: string }).id
  }
  return { ended: await task('What is 6 times 7?'), waiting: await task('Post a message to the team') }
}

/** Good requests: a method of JSON-RPC or a path of HTTP+JSON, and its body. */
function goodOf({ ended, waiting }: Things) {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'What is 6 times 7?' }, { data: { a: [1] } }] }
  const configuration = { historyLength: 1, returnImmediately: false, acceptedOutputModes: ['text/plain'] }
  const answer = {
    messageId: 'm',
    role: 'ROLE_USER',
    taskId: waiting,
    parts: [{ data: { approved: false, note: 'no' } }],
  }
  const params: [string, object][] = [
    ['SendMessage', { message, configuration }],
    ['SendMessage', { message: { ...message, contextId: 'talk' } }],
    ['SendMessage', { message: answer }],
    ['SendStreamingMessage', { message }],
    ['GetTask', { id: ended, historyLength: 2 }],
    ['ListTasks', { contextId: 'talk', status: 'TASK_STATE_FAILED', pageSize: 5, includeArtifacts: true }],
    ['CancelTask', { id: ended }],
    ['SubscribeToTask', { id: ended }],
    ['GetTaskPushNotificationConfig', { taskId: ended, id: '1' }],
  ]
  return {
    rpc: params.map(([method, of]) => ({ jsonrpc: '2.0', id: 1, method, params: of })),
    rest: [{ message, configuration }, { message: answer }, {}],
    paths: ['/message:send', '/message:stream', `/tasks/${ended}:cancel`, `/tasks/${ended}:subscribe`],
    gets: ['/tasks', `/tasks/${ended}`, `/tasks/${ended}/pushNotificationConfigs`, '/extendedAgentCard'],
  }
}

const version = fc.constantFrom('1.0', '1.0', '1.0', '1.0', '', '0.3', '1.0.1', '9'.repeat(500))
const query = fc.dictionary(
  fc.constantFrom('pageSize', 'pageToken', 'status', 'contextId', 'historyLength', 'A2A-Version', 'x', '__proto__'),
  fc.oneof(fc.string(), fc.constantFrom('1', 'TASK_STATE_WORKING', 'true')),
  { maxKeys: 2 },
)

test(`${FUZZ.requests} mutated requests: no error that is not theirs, and no stream without an end`, async () => {
  for (let sent = 0; sent < FUZZ.requests; sent += FUZZ.perServer) {
    const world = await openServer({
      script: postingScript,
      plugins: [posting()],
      config: { server: { limits: { queuedRuns: 100_000 } } },
    })
    const good = goodOf(await makeThings(world))
    const request = fc.record({
      kind: fc.constantFrom('rpc', 'rpc', 'post', 'get'),
      rpc: mutated(good.rpc),
      rest: mutated(good.rest),
      path: fc.constantFrom(...good.paths),
      get: fc.constantFrom(...good.gets),
      id: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.string() }),
      version,
      query,
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ kind, rpc, rest, path, get, id, version, query }) => {
        const headers = { 'a2a-version': version }
        const at = (from: string): string => (id === '' ? from : from.replace(/run_\w+/, encodeURIComponent(id)))
        const search = new URLSearchParams(query).toString()
        const { status, text } =
          kind === 'rpc'
            ? await world.ask('POST', '/a2a', { body: rpc, headers })
            : kind === 'post'
              ? await world.ask('POST', `/a2a/v1${at(path)}`, { body: rest, headers })
              : await world.ask('GET', `/a2a/v1${at(get)}?${search}`, { headers })
        const seen = `${kind} ${JSON.stringify({ rpc, rest, path, get, query }).slice(0, 600)}: ${status} ${text.slice(0, 300)}`
        tally.count(status)
        assert.ok(status < 500, seen)
        const isStream = text.startsWith('data:')
        const last = JSON.parse(
          isStream ? (text.trimEnd().split('\ndata: ').at(-1) ?? '').replace(/^data: /, '') : text,
        )
        const body = kind === 'rpc' && last.result !== undefined ? last.result : last
        if (kind === 'rpc' && last.error !== undefined) {
          tally.count(`rpc ${last.error.code}`)
          assert.is.not(last.error.code, -32603, seen)
        } else if (status >= 400) assert.is(last.error.code, status, seen)
        if (isStream && body.error === undefined) assert.ok('statusUpdate' in body || 'task' in body, seen)
      }),
      { numRuns: Math.min(FUZZ.perServer, FUZZ.requests - sent), seed: (fc.readConfigureGlobal()?.seed ?? 0) + sent },
    )
    assert.is((await world.ask('GET', '/health')).status, 200)
    await world.close()
    tally.report('A2A')
  }
})

test.run()
