/** What becomes of a run in which a hook of a call throws: no request is made that a tap forbade or could not decide about. */
import type { Host } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient, definePlugin, defineTool } from '../src/index.ts'

const test = suite('errors of hooks of calls')

const fail = (): never => {
  throw new Error('no connection')
}
const allow = () => ({ decision: 'allow' as const })
const deny = () => ({ decision: 'deny' as const, reason: 'never' })

/** Runs a task whose model calls a tool once. @returns how it ended, and how often the model and the tool were asked */
async function runWith(setup: (host: Host) => void) {
  let sent = 0
  const model = scriptedProvider('scripted', ({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [{ tool: 'send', args: {} }] },
  )
  const client = await createClient({
    env: {},
    config: { model: 'scripted/scripted', store: { url: 'memory:' } },
    plugins: [
      definePlugin('model', ({ providers }) => providers.add('scripted', model))(),
      definePlugin('own', setup)(),
    ],
    tools: [
      defineTool({
        id: 'send',
        description: 'Sends a letter.',
        parameters: { type: 'object' },
        risk: 'read',
        run: () => {
          sent++
          return 'sent'
        },
      }),
    ],
  })
  const { status, error, warnings } = await client.run('Send it', { topology: 'SINGLE' })
  await client.disconnect()
  return { status, error, warnings, asked: model.requests.length, sent }
}

const CASES: readonly (readonly [what: string, setup: (host: Host) => void, asked: number, sent: number])[] = [
  ['modelRequest', ({ hooks }) => hooks.modelRequest.tap('own', fail), 0, 0],
  ['modelResponse', ({ hooks }) => hooks.modelResponse.tap('own', fail), 1, 0],
  ['toolRequest', ({ hooks }) => hooks.toolRequest.tap('own', fail), 1, 0],
  ['toolResult', ({ hooks }) => hooks.toolResult.tap('own', fail), 1, 1],
  [
    'toolRequest',
    ({ hooks }) => {
      hooks.toolRequest.tap({ name: 'own', stage: -1 }, fail)
      hooks.toolRequest.tap({ name: 'own', stage: 1 }, allow)
    },
    1,
    0,
  ],
  [
    'toolRequest',
    ({ hooks }) => {
      hooks.toolRequest.tap({ name: 'own', stage: -1 }, deny)
      hooks.toolRequest.tap({ name: 'own', stage: 1 }, fail)
    },
    1,
    0,
  ],
]

for (const [index, [hook, setup, asked, sent]] of CASES.entries())
  test(`a tap of ${hook} that throws fails the run, and no further request is made (${index + 1})`, async () => {
    const run = await runWith(setup)
    assert.is(run.status, 'failed')
    assert.is(run.error?.code, 'plugin_failed')
    assert.is(run.error?.message, `plugin "own" failed in ${hook}: no connection`)
    assert.equal([run.asked, run.sent], [asked, sent])
  })

test('a hook that throws for a call of one of the last three stages is a warning, as what that stage throws', async () => {
  const { status, sent, warnings } = await runWith(({ hooks }) => {
    hooks.modelRequest.tap('own', (_answer, request) =>
      JSON.stringify(request).includes('Was it sent?') ? fail() : undefined,
    )
    hooks.reflect.tapPromise('own', async (_answer, _input, run) => {
      const content = [{ type: 'text' as const, text: 'Was it sent?' }]
      await run.model({ model: '', messages: [{ role: 'user', content }], stream: false, key: 'look', agentId: 'own' })
      return undefined
    })
  })
  assert.is(sent, 1)
  assert.is.not(status, 'failed')
  assert.match(
    warnings.map(({ code, message }) => `${code} ${message}`).join('\n'),
    'plugin_failed plugin "own" failed in modelRequest: no connection',
  )
})

test.run()
