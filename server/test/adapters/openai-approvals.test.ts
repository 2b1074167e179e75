/** Approvals and questions to a person, over responses of OpenAI. */
import type { Script } from '@svc/core/testing'
import type OpenAI from 'openai'
import * as assert from 'uvu/assert'
import type { ScopedKey } from '../../src/index.ts'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { serverSuite } from '../fixtures/open-server.ts'
import { clientOf, failureOf, heard, openForOpenAi } from '../fixtures/openai-client.ts'

const test = serverSuite('approvals over responses')

const own: OpenAI.Responses.Tool = {
  type: 'mcp',
  server_label: 'svc',
  server_url: 'https://svc.invalid',
  require_approval: 'always',
}
const ask = { model: 'svc', input: 'Post a message.', tools: [own] }

function requestOf({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseOutputItem.McpApprovalRequest {
  const [request] = output.filter((item) => item.type === 'mcp_approval_request')
  assert.ok(request, JSON.stringify(output))
  return request as OpenAI.Responses.ResponseOutputItem.McpApprovalRequest
}

const answerTo = (id: string, approve: boolean, reason?: string): OpenAI.Responses.ResponseInput => [
  { type: 'mcp_approval_response', approval_request_id: id, approve, ...(reason !== undefined && { reason }) },
]

test('a call that needs approval is shown, and is made when the client approves it', async () => {
  const { client, runtime } = await openForOpenAi({ script: postingScript, plugins: [posting()] })
  const first = await client.responses.create(ask)
  const request = requestOf(first)
  assert.is(first.status, 'completed')
  assert.equal([request.server_label, request.name, request.arguments], ['svc', 'post_message', '{"text":"hello"}'])
  assert.equal((await client.responses.retrieve(first.id)).output, first.output)
  const [waiting] = (await runtime.runs.list()).data
  assert.is(waiting?.status, 'waiting')
  const without = await failureOf(client.responses.create({ ...ask, input: 'Go on.', previous_response_id: first.id }))
  assert.equal([without.status, without.param], [400, 'input'])
  const input = answerTo(request.id, true)
  const done = await client.responses.create({ ...ask, input, previous_response_id: first.id })
  assert.is(done.output_text, 'I posted the message "hello".')
  const twice = await failureOf(client.responses.create({ ...ask, input }))
  assert.is(twice.code, 'approval_closed')
})

test('a call that the client denies is not made, and the model reads why', async () => {
  const world = await openForOpenAi({ script: postingScript, plugins: [posting()] })
  const stream = world.client.responses.stream(ask)
  const request = requestOf(await stream.finalResponse())
  const denied = await world.client.responses.create({ ...ask, input: answerTo(request.id, false, 'not today') })
  assert.match(JSON.stringify(world.provider.requests.at(-1)?.messages), 'not today')
  const { svc } = denied as unknown as { svc: { status: string; denied_calls: number } }
  assert.equal([svc.status, svc.denied_calls], ['incomplete', 1])
})

test('nobody is asked where the client does not take questions', async () => {
  const { client, runtime } = await openForOpenAi({ script: postingScript, plugins: [posting()] })
  for (const tools of [[], [{ ...own, require_approval: 'never' as const }]]) {
    const answer = await client.responses.create({ ...ask, tools })
    assert.equal(
      answer.output.map(({ type }) => type),
      ['message'],
    )
    const { svc } = answer as unknown as { svc: { denied_calls: number } }
    assert.is(svc.denied_calls, 1)
  }
  assert.equal((await runtime.approvals.list()).data, [])
})

test('a key that may not approve gets an error, and nothing is done', async () => {
  const keys: ScopedKey[] = [
    { name: 'ci', key: 'ci-key', scopes: ['submit'] },
    { name: 'both', key: 'both-key', scopes: ['submit', 'approve'] },
    { name: 'root', key: 'root-key', scopes: ['admin'] },
  ]
  const world = await openForOpenAi({ script: postingScript, plugins: [posting()], server: { keys: () => keys } })
  const request = requestOf(await clientOf(world.url, 'both-key').responses.create(ask))
  const input = answerTo(request.id, true)
  for (const key of ['ci-key', 'both-key']) {
    const refused = await failureOf(clientOf(world.url, key).responses.create({ ...ask, input }))
    assert.equal([refused.status, refused.type], [403, 'permission_error'], key)
  }
  assert.is((await world.runtime.approvals.get(request.id)).status, 'pending')
  const done = await clientOf(world.url, 'root-key').responses.create({ ...ask, input })
  assert.is(done.output_text, 'I posted the message "hello".')
})

test('a question of an agent is its answer, and the next message answers it', async () => {
  const script: Script = (request) => {
    const { results } = heard(request)
    if (results.length > 0) return `It is called ${results.join()}.`
    return { toolCalls: [{ tool: 'ask_user', args: { question: 'What is it called?' } }] }
  }
  const { client, runtime } = await openForOpenAi({ script })
  const first = await client.responses.create(ask)
  assert.is(first.output_text, 'What is it called?')
  const streamed = await client.responses.stream(ask).finalResponse()
  assert.is(streamed.output_text, 'What is it called?')
  const done = await client.responses.create({ ...ask, input: 'Ada', previous_response_id: first.id })
  assert.is(done.output_text, 'It is called Ada.')
  assert.is((await runtime.runs.list()).data.length, 2)
})

test.run()
