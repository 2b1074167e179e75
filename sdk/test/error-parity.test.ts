/** The same mistakes have the same errors, whichever way a client reaches its runtime. */
import { definePlugin, SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ServiceClient } from '../src/index.ts'
import { TRANSPORTS } from './fixtures/transports.ts'

const NO_RUN = 'run_01J00000000000000000000000'
const NO_THREAD = 'thr_01J00000000000000000000000'
const NO_APPROVAL = 'apr_01J00000000000000000000000'
const wrong = <T>(value: unknown): T => value as T

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** Each makes one error. An id of another form is none of a route, and so `validation_failed` over HTTP alone. */
const MISTAKES: Record<string, (client: ServiceClient, done: string, waiting: string) => unknown> = {
  'no task': (client) => client.run(''),
  'a task that is no text': (client) => client.run(wrong(5)),
  'an option that there is not': (client) => client.run('x', wrong({ nonsense: 1 })),
  'a topology that there is not': (client) => client.run('x', wrong({ topology: 'STAR' })),
  'two wrong options': (client) => client.run('x', wrong({ riskLevel: 'odd', budget: { maxSteps: -1 } })),
  'no task, and two wrong options': (client) => client.run('', wrong({ riskLevel: 'odd', tags: 5 })),
  'an agent that there is not': (client) => client.run('x', { agents: ['nobody'] }),
  'a provider that there is not': (client) => client.run('x', { model: 'nowhere/none' }),
  'a thread that there is not': (client) => client.run('x', { threadId: NO_THREAD }),
  'a tool that there is not': (client) => client.run('x', { tools: { allow: ['none'] } }),
  'a file that there is not': (client) => client.run('x', { files: ['none.txt'] }),
  'a schema that is none': (client) => client.run('x', { outputSchema: { type: 'nonsense' } }),
  'a plan of no task': (client) => client.plan(''),
  'an analysis of no task': (client) => client.analyze(''),
  'a stream of no task': (client) => drain(client.stream('')),
  'runs.get': (client) => client.runs.get(NO_RUN),
  'runs.result': (client) => client.runs.result(NO_RUN),
  'runs.result too early': (client, _, waiting) => client.runs.result(waiting),
  'runs.wait': (client) => client.runs.wait(NO_RUN, 10),
  'runs.events': (client) => drain(client.runs.events(NO_RUN)),
  'runs.cancel': (client) => client.runs.cancel(NO_RUN),
  'runs.resume': (client) => client.runs.resume(NO_RUN),
  'runs.resume of a run that completed': (client, done) => client.runs.resume(done),
  'runs.resume with what is none': (client, done) => client.runs.resume(done, wrong({ more: 1 })),
  'runs.fork': (client) => client.runs.fork(NO_RUN, { atSeq: 1 }),
  'runs.fork beyond the end': (client, done) => client.runs.fork(done, { atSeq: 100_000 }),
  'runs.fork without a place': (client, done) => client.runs.fork(done, wrong({})),
  'runs.replay': (client) => client.runs.replay(NO_RUN),
  'runs.replay too early': (client, _, waiting) => client.runs.replay(waiting),
  'runs.diff': (client, done) => client.runs.diff(done, NO_RUN),
  'runs.diff too early': (client, done, waiting) => client.runs.diff(done, waiting),
  'runs.export': (client) => drain(client.runs.export(NO_RUN)),
  'runs.delete': (client) => client.runs.delete(NO_RUN),
  'runs.delete too early': (client, _, waiting) => client.runs.delete(waiting),
  'runs.list by a status that there is not': (client) => client.runs.list(wrong({ status: ['odd'] })),
  'runs.list with a cursor that is none': (client) => client.runs.list({ after: 'nonsense' }),
  'runs.list with a limit that is none': (client) => client.runs.list({ limit: -1 }),
  'approvals.get': (client) => client.approvals.get(NO_APPROVAL),
  'approvals.resolve': (client) => client.approvals.resolve(NO_APPROVAL, { decision: 'approve' }),
  'approvals.resolve with what is none': async (client) => {
    const [approval] = (await client.approvals.list()).data
    return client.approvals.resolve(approval?.id ?? '', wrong({ decision: 'perhaps' }))
  },
  'agents.get': (client) => client.agents.get('nobody'),
  'agents.delete': (client) => client.agents.delete('nobody'),
  'an agent without a name': (client) => client.createAgent(wrong({})),
  'an agent with a field that there is not': (client) => client.createAgent(wrong({ name: 'A', nonsense: 1 })),
  'a memory of nothing': (client) => client.writeMemory(wrong({})),
  'a memory in a layer that there is not': (client) => client.writeMemory(wrong({ content: 'x', layer: 'odd' })),
  'a query of nothing': (client) => client.queryMemory(wrong({})),
  'threads.get': (client) => client.threads.get(NO_THREAD),
  'threads.delete': (client) => client.threads.delete(NO_THREAD),
  'a page of files that is none': (client) => client.files({ limit: -1 }),
}

const asks = definePlugin('asks', ({ tools }) =>
  tools.add('act', {
    id: 'act',
    description: 'acts',
    parameters: { type: 'object', properties: {} },
    risk: 'write',
    run: async () => 'done',
  }),
)

/** What a caller may branch on, or show beside a field. */
async function errorsOver({ connect }: (typeof TRANSPORTS)[number]): Promise<Record<string, unknown>> {
  const { client, close } = await connect(
    ({ messages }) => (JSON.stringify(messages).includes('Act') ? { toolCalls: [{ tool: 'act', args: {} }] } : 'Oslo'),
    { plugins: [asks()] },
  )
  const done = await client.run('x', { topology: 'SINGLE' })
  const waiting = await client.runs.create({ task: 'Act', topology: 'SINGLE', approval: 'wait' })
  await client.runs.wait(waiting.id)
  const found: Record<string, unknown> = {}
  for (const [what, make] of Object.entries(MISTAKES)) {
    try {
      await make(client, done.runId, waiting.id)
      found[what] = 'no error'
    } catch (error) {
      if (!SvcError.isInstance(error)) throw error
      const { name, code, retryable, exitCode, status, errors } = error
      found[what] = { name, code, retryable, exitCode, status, paths: errors?.map(({ path }) => path) }
    }
  }
  await client.runs.cancel(waiting.id)
  await close()
  return found
}

const test = suite('errors embedded and over HTTP')

test('a mistake has one error, with one class, code and place, both ways', async () => {
  const [embedded = {}, overHttp = {}] = await Promise.all(TRANSPORTS.map(errorsOver))
  for (const what of Object.keys(MISTAKES)) {
    assert.is.not(embedded[what], 'no error', what)
    assert.equal(overHttp[what], embedded[what], what)
  }
})

test.run()
