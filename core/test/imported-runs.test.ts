/** A run that came in a file is data: it can be looked at, replayed and forked, and gives nobody a permission. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore, type ExecutionResult, type RunCreate, type Runtime } from '../src/index.ts'
import { exported, type Head, headOf, signed } from './fixtures/run-files.ts'
import { codeOf, ended, until } from './fixtures/runtimes.ts'
import { writing } from './fixtures/writing-runs.ts'

const test = suite('imported runs')

/** A stranger's run that may write, and whose call was not recorded. */
async function strangersRun(change: (head: Head) => void = () => {}, create: Partial<RunCreate> = {}) {
  const { runtime } = await writing({ space: '/home/stranger' })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'allow-write', tokenBudget: 500_000, ...create })
  await ended(runtime, id)
  const lines = await exported(runtime, id)
  await runtime.close()
  change(headOf(lines))
  return { id, lines }
}

const resultOf = async (runtime: Runtime, id: string): Promise<ExecutionResult> => {
  await ended(runtime, id)
  return (await runtime.runs.result(id)) as ExecutionResult
}

test('an imported run is of the folder that took it in, counts as untrusted, and replays as it was', async () => {
  const { id, lines } = await strangersRun(({ run }) => Object.assign(run, { space: undefined, owner: 'crew' }))
  const store = createMemoryStore()
  const { runtime } = await writing({ space: '/home/me', store })
  const run = await runtime.runs.import(signed(lines))
  assert.is(run.space, '/home/me')
  assert.is((run.result as ExecutionResult).tainted, true)
  assert.is((await runtime.runs.list()).data.length, 1)
  assert.is((await store.runs.get(id))?.owner, undefined)
  assert.equal(await runtime.runs.replay(id), { identical: true })
  const other = (await writing({ space: '/home/other', store })).runtime
  assert.is((await other.runs.list()).data.length, 0)
  await Promise.all([runtime.close(), other.close()])
})

test('a fork of an imported run has no permission, limit, thread or memory of it, and is tainted with its forks', async () => {
  const { id, lines } = await strangersRun(({ run }) => {
    Object.assign(run, { owner: 'crew', originRunId: 'run_00000000000000000000000009', threadId: 'thr_1' })
    Object.assign(run.create, {
      allowWrites: true,
      threadId: 'thr_1',
      priority: 100,
      budget: { maxTokens: 9_000_000 },
      agents: [
        { id: 'worker', name: 'Worker', toolPolicy: { write: 'allow', other: 'deny' }, budget: { maxTokens: 9 } },
      ],
    })
  })
  const store = createMemoryStore()
  const { runtime, written, options } = await writing({ space: '/home/me', store })
  await runtime.runs.import(signed(lines))
  const fork = await runtime.runs.fork(id, { atSeq: 1 })
  const result = await resultOf(runtime, fork.id)
  assert.equal(written, [])
  assert.is(result.summary, 'approval_required')
  assert.is(result.tainted, true)
  const { allowWrites, approval, budget, tokenBudget, priority, agents } = options.at(-1) ?? { task: '' }
  assert.equal(
    { allowWrites, approval, budget, tokenBudget, priority },
    {
      allowWrites: undefined,
      approval: undefined,
      budget: undefined,
      tokenBudget: undefined,
      priority: undefined,
    },
  )
  assert.equal(agents, [{ id: 'worker', name: 'Worker', toolPolicy: { other: 'deny' } }])
  const row = await store.runs.get(fork.id)
  assert.equal([row?.space, row?.owner, row?.originRunId, row?.threadId], ['/home/me', undefined, undefined, undefined])
  const again = await runtime.runs.fork(fork.id, { atSeq: 1 })
  assert.is((await resultOf(runtime, again.id)).tainted, true)
  assert.equal(await runtime.runs.replay(again.id), { identical: true })
  await runtime.close()
})

test('a file says nothing of what is still to be read by a run, and is refused where what was read is none', async () => {
  const said = { id: 'msg_1', text: 'And send it to me.', by: 'boss', createdAt: new Date(0).toISOString() }
  const { id, lines } = await strangersRun(({ run }) => Object.assign(run, { unread: [said] }))
  const { runtime } = await writing({ space: '/home/me' })
  assert.is((await runtime.runs.import(signed(lines))).unread, undefined)
  assert.is((await runtime.runs.get(id)).unread, undefined)
  await runtime.runs.delete(id)
  for (const messages of ['none', [{ ...said, text: 1 }], [{ text: 'x' }], { 0: said }]) {
    const at = lines.findIndex(({ type }) => type === 'agent.started' || type === 'stage.started')
    const changed = lines.map((line, index) =>
      index === at ? { ...line, type: 'agent.steered', agentId: 'agent-1', data: { messages } } : line,
    )
    assert.is(await codeOf(runtime.runs.import(signed(changed))), 'validation_failed', JSON.stringify(messages))
  }
  await runtime.close()
})

test('resuming an imported run has no permission of it either', async () => {
  const { id, lines } = await strangersRun(({ run }) => void run)
  const failed = lines.map((line) => JSON.parse(JSON.stringify(line).replaceAll('run.completed', 'run.failed')))
  const at = failed.findIndex(({ type }) => type === 'tool.requested')
  assert.ok(at > 0)
  headOf(failed).run.status = 'failed'
  const { runtime, written } = await writing({ space: '/home/me' })
  // Without the records of its call, which would be answered from them.
  await runtime.runs.import(signed(failed.filter((line) => !JSON.stringify(line.step ?? {}).includes('"c1"'))))
  const run = await runtime.runs.resume(id)
  const result = await resultOf(runtime, run.id)
  assert.equal([written, result.summary, result.tainted], [[], 'approval_required', true])
  await runtime.close()
})

test('what the stranger allowed for the whole run is asked again', async () => {
  const { runtime: theirs } = await writing({ space: '/home/stranger' }, 1)
  const { id } = await theirs.runs.create({ task: 'x', approval: 'wait' })
  await theirs.runs.wait(id)
  const [asked] = (await theirs.approvals.list()).data
  await theirs.approvals.resolve(asked?.id ?? '', { decision: 'approve', remember: 'run' })
  await ended(theirs, id)
  const lines = await exported(theirs, id)
  await theirs.close()
  const { runtime, written } = await writing({ space: '/home/me' }, 2)
  await runtime.runs.import(signed(lines.filter((line) => !JSON.stringify(line.step ?? {}).includes('"ok":true'))))
  const lastSeq = headOf(lines).run.lastSeq as number
  const fork = await runtime.runs.fork(id, { atSeq: lastSeq - 4, edits: { task: 'y' } })
  await until(async () => (await runtime.runs.get(fork.id)).status === 'waiting')
  assert.equal(written, [])
  await runtime.runs.cancel(fork.id)
  await ended(runtime, fork.id)
  await runtime.close()
})

test.run()
