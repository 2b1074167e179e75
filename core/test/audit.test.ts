/** Who decides what is written down before it takes effect, however it comes. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AuditEntry, type EmbeddedRuntime, type RuntimeSettings, SvcError } from '../src/index.ts'
import { exported, signed } from './fixtures/run-files.ts'
import { codeOf, ended, model, start, tool, toolbox } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('audit')

/** A runtime whose runs write once, and what was written down. */
async function audited(settings: Partial<RuntimeSettings> = {}) {
  const entries: AuditEntry[] = []
  const written: unknown[] = []
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c1', tool: 'write', args: { path: 'a', secret: 'hush' } })
      return execution('done')
    },
  })
  const write = tool('write', async (args) => written.push(args), { risk: 'write' })
  const runtime = (await start([toolbox(write), act, model()], {
    audit: (entry) => void entries.push(entry),
    space: '/home/me',
    ...settings,
  })) as EmbeddedRuntime
  return { runtime, entries, written }
}

/** A run that waits for the answer to a question. */
async function waiting(runtime: EmbeddedRuntime): Promise<{ id: string; approval: string }> {
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await runtime.runs.wait(id)
  const [asked] = (await runtime.approvals.list({ status: 'pending' })).data
  return { id, approval: asked?.id ?? '' }
}

test('each decision has an entry with who, from where, about what, and no arguments', async () => {
  const { runtime, entries } = await audited({ caller: { who: 'local me', from: 'command line' } })
  const { id, approval } = await waiting(runtime)
  await runtime.as({ who: 'ci', from: 'http 10.0.0.1' }).approvals.resolve(approval, { decision: 'approve' })
  await ended(runtime, id)
  const fork = await runtime.runs.fork(id, { atSeq: 1 })
  await runtime.runs.cancel(fork.id)
  await ended(runtime, fork.id)
  const resumed = await runtime.runs.resume(fork.id, { addBudget: 5_000 })
  await runtime.runs.cancel(resumed.id)
  await ended(runtime, resumed.id)
  const lines = await exported(runtime, id)
  await runtime.runs.delete(id)
  await runtime.runs.import(signed(lines))
  const thread = await runtime.threads.create()
  await runtime.threads.delete(thread.id)
  await runtime.agents.put({ id: 'reviewer', name: 'Reviewer' })
  await runtime.agents.delete('reviewer')
  await runtime.prune({ olderThanMs: 1e12, dryRun: true })
  await runtime.prune({ olderThanMs: 1e12 })
  await runtime.close()
  assert.equal(
    entries.map(({ what }) => what),
    [
      'approval.answered',
      'run.forked',
      'run.cancelled',
      'run.resumed',
      'run.cancelled',
      'run.deleted',
      'run.imported',
      'thread.deleted',
      'agent.saved',
      'agent.deleted',
      'runs.pruned',
    ],
  )
  const [answered, forked] = entries
  assert.equal([answered?.who, answered?.from, answered?.folder], ['ci', 'http 10.0.0.1', '/home/me'])
  const { argsSha256, ...details } = answered?.details ?? {}
  assert.match(String(argsSha256), /^[0-9a-f]{64}$/)
  assert.equal(details, { approval, run: id, tool: 'write', decision: 'approve', remember: undefined })
  assert.equal([forked?.who, forked?.from, forked?.details?.run], ['local me', 'command line', id])
  assert.not.match(JSON.stringify(entries), /hush/)
})

test('an answer to a question of a run is written down without what it says', async () => {
  const entries: AuditEntry[] = []
  const act = tiny({
    execute: async (run) => execution(JSON.stringify(await run.ask({ kind: 'input', prompt: 'Which?' }))),
  })
  const runtime = await start([act, model()], { audit: (entry) => void entries.push(entry) })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await runtime.runs.wait(id)
  await runtime.runs.resume(id, { input: 'hush' })
  await ended(runtime, id)
  await runtime.close()
  assert.equal(
    entries.map(({ what, details }) => [what, details?.run]),
    [['question.answered', id]],
  )
  assert.not.match(JSON.stringify(entries), /hush/)
})

test('what cannot be written down is not decided', async () => {
  let isFull = false
  const { runtime, written } = await audited({
    audit: () => {
      if (isFull) throw new SvcError('disk_full', 'the audit log cannot be written')
    },
  })
  const { id, approval } = await waiting(runtime)
  isFull = true
  for (const decide of [
    () => runtime.approvals.resolve(approval, { decision: 'approve' }),
    () => runtime.runs.cancel(id),
    () => runtime.runs.resume(id),
    () => runtime.runs.fork(id, { atSeq: 1 }),
    () => runtime.agents.put({ id: 'reviewer', name: 'Reviewer' }),
    () => runtime.prune({ olderThanMs: 0 }),
    () => runtime.as({ who: 'x', from: 'y' }).approvals.resolve(approval, { decision: 'approve' }),
  ])
    assert.is(await codeOf(decide()), 'disk_full')
  assert.is((await runtime.runs.get(id)).status, 'waiting')
  assert.equal([written, await runtime.agents.list()], [[], []])
  isFull = false
  await runtime.approvals.resolve(approval, { decision: 'approve' })
  await ended(runtime, id)
  assert.is(written.length, 1)
  await runtime.close()
})

test('what a run does, and what is only read, is nobody’s decision', async () => {
  const { runtime, entries } = await audited()
  const { id } = await runtime.runs.create({ task: 'x', approval: 'allow-write' })
  await ended(runtime, id)
  await runtime.runs.list()
  await runtime.runs.replay(id)
  await exported(runtime, id)
  await runtime.close()
  assert.equal(entries, [])
})

test('what a program has put in the place of a part is asked for each caller', async () => {
  const { runtime, entries } = await audited()
  const refused: string[] = []
  const wrapped: EmbeddedRuntime = {
    ...runtime,
    approvals: {
      ...runtime.approvals,
      async resolve(id) {
        refused.push(id)
        return runtime.approvals.get(id)
      },
    },
  }
  const { id, approval } = await waiting(runtime)
  const theirs = wrapped.as({ who: 'ci', from: 'http 10.0.0.1' })
  await theirs.approvals.resolve(approval, { decision: 'approve' })
  assert.equal([refused, (await runtime.runs.get(id)).status], [[approval], 'waiting'])
  await theirs.runs.cancel(id)
  await ended(runtime, id)
  assert.equal(
    entries.map(({ what, who }) => [what, who]),
    [['run.cancelled', 'ci']],
  )
  await runtime.close()
})

test.run()
