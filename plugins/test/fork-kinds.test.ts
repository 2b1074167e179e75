/** Forks of runs that a person was asked about and that recalled something, in each store; and a crash of one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createMemoryStore,
  definePlugin,
  type ExecutionResult,
  type Plugin,
  type RunEvent,
  type Runtime,
  type Store,
} from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { analyze, createRuntime, PostgresStore, SqliteStore } from '../src/index.ts'
import { missing, startPostgres } from './fixtures/postgres.ts'
import { until } from './fixtures/until.ts'

const test = suite('forks of runs of many kinds')

const made: string[] = []
test.after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'svc-fork-'))
  made.push(path)
  return path
}

const model = (script: Script): Plugin =>
  definePlugin('model', ({ providers }) => providers.add('scripted', scriptedProvider('scripted', script)))()

const eventsOf = async (runtime: Runtime, id: string): Promise<RunEvent[]> => {
  const events: RunEvent[] = []
  for await (const event of runtime.runs.events(id, { deltas: false })) events.push(event)
  return events
}

const seqOf = (events: readonly RunEvent[], type: RunEvent['type']): number =>
  events.find((event) => event.type === type)?.seq ?? 0

/** Writes a file, which a person is asked about, and says what it was shown. */
const writes: Script = ({ messages }) => {
  const text = JSON.stringify(messages)
  if (messages.at(-1)?.role !== 'tool')
    return { toolCalls: [{ tool: 'write_file', args: { path: 'a.txt', content: 'hi' } }] }
  return `${text.includes('opens at nine') ? 'Nine' : 'Unknown'}; ${text.includes('denied') ? 'not written' : 'written'}.`
}

async function inStore(store: Store): Promise<void> {
  const runtime = await createRuntime(
    { model: 'scripted', components: { analyze: analyze() } },
    { plugins: [model(writes)], env: {}, store, workspace: folder() },
  )
  try {
    await runtime.memory.write({
      content: 'The office of the harbour opens at nine.',
      layer: 'long-term',
      kind: 'fact',
    })
    const task = 'When does the office of the harbour open? Write it into a.txt.'
    const { id } = await runtime.runs.create({ task, approval: 'wait' })
    await until(async () => (await runtime.runs.get(id)).status === 'waiting')
    const [approval] = (await runtime.approvals.list()).data
    await runtime.approvals.resolve(approval?.id ?? '', { decision: 'approve' })
    await runtime.runs.wait(id)
    const whole = (await runtime.runs.result(id)) as ExecutionResult
    assert.match(whole.summary, /Nine; written/)
    const events = await eventsOf(runtime, id)
    // After the call, what was approved is done and recorded; before it, the fork asks again.
    const forks = { after: seqOf(events, 'tool.completed'), before: seqOf(events, 'plan.created') + 1 }
    for (const [name, atSeq] of Object.entries(forks)) {
      const { id: forkId } = await runtime.runs.fork(id, { atSeq })
      if (name === 'before') {
        await until(async () => (await runtime.runs.get(forkId)).status === 'waiting')
        const asked = (await runtime.approvals.list({ status: 'pending' })).data.find(({ runId }) => runId === forkId)
        await runtime.approvals.resolve(asked?.id ?? '', { decision: 'deny' })
      }
      await runtime.runs.wait(forkId)
      const { summary } = (await runtime.runs.result(forkId)) as ExecutionResult
      assert.match(summary, name === 'after' ? /Nine; written/ : /Nine; not written/, name)
      const kept = (await eventsOf(runtime, forkId)).flatMap((event) =>
        event.type === 'stage.completed' && event.data.inherited === true ? [event.stage] : [],
      )
      assert.equal(kept, ['analyze', 'allocate', 'plan'], name)
      assert.equal(await runtime.runs.replay(forkId), { identical: true }, name)
    }
  } finally {
    await runtime.close()
  }
}

test('in memory', () => inStore(createMemoryStore()))
test('in SQLite', () => inStore(new SqliteStore({ file: join(folder(), 'svc.db') })))
const withServer = missing === undefined ? test : test.skip
withServer('in PostgreSQL', async () => {
  const server = await startPostgres()
  try {
    await inStore(new PostgresStore({ url: server.newDatabase() }))
  } finally {
    server.close()
  }
})

test.run()
