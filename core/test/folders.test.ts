/** Runs belong to the folder that they were begun in, however many folders share a store. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore, type Run, type Runtime, type RuntimeSettings, type Tool } from '../src/index.ts'
import { codeOf, ended, model, settled, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('runs of several folders')

const [A, B] = ['/projects/a', '/projects/b']

/** Two processes that share a store, of two folders: runs of the first end at once, or wait where they are asked to. */
async function twoFolders(settings: Partial<RuntimeSettings> = {}) {
  const store = createMemoryStore()
  const write: Tool = tool('write', async () => 'written', { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      if (run.options.approval === 'wait')
        await run.tool({ key: 't', agentId: 'agent-1', callId: 'c1', tool: 'write', args: {} })
      return execution('done')
    },
  })
  const open = (space: string): Promise<Runtime> =>
    start([toolbox(write), act, model()], { store, space, leaseMs: 60, ...settings })
  const [a, b] = await Promise.all([open(A), open(B)])
  return { store, a, b, close: () => Promise.all([a.close(), b.close()]) }
}

const idsOf = ({ data }: { data: readonly Run[] }): string => data.map(({ id }) => id).join()

test('a list, a sum and a look show the runs of the own folder, and those of all where all are asked for', async () => {
  const { a, b, close } = await twoFolders()
  const { id } = await a.runs.create({ task: 'of a' })
  await ended(a, id)
  assert.is(idsOf(await a.runs.list()), id)
  assert.is(idsOf(await b.runs.list()), '')
  assert.is(idsOf(await b.runs.list({ all: true })), id)
  assert.equal([(await b.runs.summary()).total, (await b.runs.summary({ all: true })).total], [0, 1])
  assert.is((await b.runs.get(id, { all: true })).space, A)
  assert.is((await b.runs.wait(id, 10, { all: true })).id, id)
  assert.ok(await b.runs.result(id, { all: true }))
  const types: string[] = []
  for await (const event of b.runs.events(id, { all: true })) types.push(event.type)
  assert.is(types.at(-1), 'run.completed')
  assert.is((await b.runs.diff(id, id, { all: true })).plan.length, 0)
  let bytes = 0
  for await (const chunk of b.runs.export(id, { all: true })) bytes += chunk.length
  assert.ok(bytes > 0)
  await close()
})

test('what another folder has begun is not found, and the error names that folder', async () => {
  const { a, b, close } = await twoFolders()
  const { id } = await a.runs.create({ task: 'of a' })
  await ended(a, id)
  const drain = async (source: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of source);
  }
  const asked: Record<string, () => Promise<unknown>> = {
    get: () => b.runs.get(id),
    wait: () => b.runs.wait(id, 10),
    result: () => b.runs.result(id),
    events: () => drain(b.runs.events(id)),
    export: () => drain(b.runs.export(id)),
    diff: () => b.runs.diff(id, id),
    replay: () => b.runs.replay(id),
    cancel: () => b.runs.cancel(id),
    resume: () => b.runs.resume(id),
    fork: () => b.runs.fork(id, { atSeq: 1 }),
    delete: () => b.runs.delete(id),
  }
  for (const [name, ask] of Object.entries(asked)) assert.is(await codeOf(ask()), 'run_not_found', name)
  const message = await b.runs.get(id).catch((error: Error) => error.message)
  assert.match(String(message), /is of \/projects\/a/)
  assert.is(idsOf(await a.runs.list()), id, 'it is there as it was')
  await close()
})

test('a conversation is listed, read and gone on with in its folder alone, and read elsewhere where all are asked for', async () => {
  const { store, a, b, close } = await twoFolders()
  const old = { id: 'thr_00000000000000000000000001', metadata: {}, version: 1, createdAt: '', updatedAt: '' }
  await store.threads.put(old.id, old)
  const { id, space } = await a.threads.create({ title: 'of a' })
  assert.is(space, A)
  for (let n = 0; n < 3; n++) await b.threads.create({ title: 'of b' })
  const titlesOf = async (runtime: Runtime, all = false, order: 'desc' | 'activity' = 'desc'): Promise<string> => {
    const titles: (string | undefined)[] = []
    for (let after: string | undefined, isLast = false; !isLast; ) {
      const page = await runtime.threads.list({ limit: 2, all, order, ...(after !== undefined && { after }) })
      assert.ok(page.data.length <= 2)
      titles.push(...page.data.map(({ title }) => title))
      isLast = page.nextCursor === undefined
      after = page.nextCursor
    }
    return titles.join()
  }
  assert.is(await titlesOf(a), 'of a,', 'of one that does not say its folder nothing is known')
  assert.is(await titlesOf(b), 'of b,of b,of b,')
  assert.is(await titlesOf(b, true), 'of b,of b,of b,of a,')
  await a.threads.update(id, { title: 'of a' })
  assert.is(await titlesOf(a, false, 'activity'), 'of a,', 'in the order of activity as well')
  assert.is(await titlesOf(b, false, 'activity'), 'of b,of b,of b,')
  const run = await a.runs.create({ task: 'a secret', threadId: id })
  await ended(a, run.id)
  const asked: Record<string, () => Promise<unknown>> = {
    get: () => b.threads.get(id),
    messages: () => b.threads.messages(id),
    update: () => b.threads.update(id, { title: 'x' }),
    copy: () => b.threads.copy(id),
    delete: () => b.threads.delete(id),
    'a run': () => b.runs.create({ task: 'x', threadId: id }),
  }
  for (const [name, ask] of Object.entries(asked)) {
    assert.is(await codeOf(ask()), 'thread_not_found', name)
    assert.match(String(await ask().catch((error: Error) => error.message)), /is of \/projects\/a, .* \/projects\/b/)
  }
  assert.is((await b.threads.get(id, { all: true })).title, 'of a')
  assert.is((await b.threads.messages(id, { all: true })).length, 2)
  for (const metadata of [{ copiedFrom: id }, { beganWith: run.id }]) {
    const mine = await b.threads.create({ metadata })
    assert.equal(await b.threads.messages(mine.id), [], 'what another folder said is not read by naming it')
    const own = await a.threads.create({ metadata })
    assert.is((await a.threads.messages(own.id)).length, 2)
  }
  await close()
})

test('a question of another folder is neither listed nor answered', async () => {
  const { a, b, close } = await twoFolders()
  const { id } = await a.runs.create({ task: 'of a', approval: 'wait' })
  await a.runs.wait(id)
  const [asked] = (await a.approvals.list({ status: 'pending' })).data
  const approvalId = asked?.id ?? ''
  assert.is((await b.approvals.list()).data.length, 0)
  assert.is((await b.approvals.list({ all: true })).data.length, 1)
  assert.is((await b.approvals.get(approvalId, { all: true })).id, approvalId)
  assert.is(await codeOf(b.approvals.get(approvalId)), 'approval_not_found')
  assert.is(await codeOf(b.approvals.resolve(approvalId, { decision: 'approve' })), 'approval_not_found')
  await a.approvals.resolve(approvalId, { decision: 'approve' })
  await ended(a, id)
  await close()
})

test('who listens to all hears what begins and ends in another folder', async () => {
  const { a, b, close } = await twoFolders()
  const [own, all]: [string[], string[]] = [[], []]
  b.onRunEvent(({ runId }) => own.push(runId))
  b.onRunEvent(({ runId, type }) => type === 'run.completed' && all.push(runId), { all: true })
  const { id } = await a.runs.create({ task: 'of a' })
  const mine = await b.runs.create({ task: 'of b' })
  await until(() => all.length === 2)
  assert.ok(all.includes(id))
  assert.equal([...new Set(own)], [mine.id])
  await close()
})

test('a run that its folder has left is taken up by no other, also to be cancelled or because it is late', async () => {
  const { store, a, b, close } = await twoFolders({ claims: 'all' })
  await a.close()
  const at = new Date(0).toISOString()
  const row = { ...(await waitingRow(b)), id: 'run_00000000000000000000000001', space: A, createdAt: at, startBy: 1 }
  await store.create(row, [])
  await store.command(row.id, { id: 'cmd_1', kind: 'cancel', reason: 'x', by: 'user' })
  const { id } = await b.runs.create({ task: 'of b' })
  await ended(b, id)
  await settled()
  assert.is((await store.runs.get(row.id))?.status, 'queued')
  await close()

  /** The row of a run that waits for its turn. */
  async function waitingRow(runtime: Runtime) {
    const made = await runtime.runs.create({ task: 'a pattern' })
    await ended(runtime, made.id)
    const { result: _, finishedAt: _finished, startedAt: _started, ...rest } = (await store.runs.get(made.id)) ?? fail()
    return { ...rest, status: 'queued' as const }
  }
})

test('a key that another folder has used makes no run and shows none', async () => {
  const { a, b, close } = await twoFolders()
  await a.runs.create({ task: 'x' }, { idempotencyKey: 'daily' })
  assert.is(await codeOf(b.runs.create({ task: 'x' }, { idempotencyKey: 'daily' })), 'idempotency_mismatch')
  await close()
})

const fail = (): never => {
  throw new Error('there is no such run')
}

test.run()
