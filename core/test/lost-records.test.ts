/** A run that goes on from one that was removed before it began: what is done already is not done again. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore, type Runtime } from '../src/index.ts'
import { codeOf, ended, model, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'
import { wrapStore } from './fixtures/wrapped-store.ts'

const test = suite('what a run goes on from was removed')

/** A run that called a tool and failed then, and another one at work in the only place. */
async function afterFailure(): Promise<{ runtime: Runtime; id: string; calls: () => number; open: () => void }> {
  let calls = 0
  let isAtWork = false
  let open = (): void => {}
  const act = tiny({
    execute: async (run, task) => {
      if (task === 'at work') {
        isAtWork = true
        await new Promise<void>((resolve) => {
          open = resolve
        })
        return execution('done')
      }
      await run.tool({ key: 't1', callId: 'call-1', agentId: 'agent-1', tool: 'act', args: {} })
      if (!isAtWork) throw new Error('broken')
      return execution('done')
    },
  })
  const acts = tool('act', async () => {
    calls++
    return { content: [] }
  })
  const runtime = await start([act, model(), toolbox(acts)], { config: { server: { limits: { runningRuns: 1 } } } })
  const { id } = await runtime.runs.create({ task: 'act' })
  await ended(runtime, id)
  assert.is(calls, 1)
  await runtime.runs.create({ task: 'at work' })
  await until(() => isAtWork)
  return { runtime, id, calls: () => calls, open: () => open() }
}

test('a resumed run and a fork whose parent goes while they wait for a place fail, and call nothing again', async () => {
  const { runtime, id, calls, open } = await afterFailure()
  const { lastSeq } = await runtime.runs.get(id)
  const waiting = [await runtime.runs.resume(id), await runtime.runs.fork(id, { atSeq: lastSeq })]
  await runtime.runs.delete(id)
  open()
  for (const run of waiting) {
    await ended(runtime, run.id)
    const { status, error } = await runtime.runs.get(run.id)
    assert.equal([status, error?.code], ['failed', 'run_not_found'])
    assert.match(error?.message ?? '', `goes on from run ${id}, which was removed`)
    assert.is(await codeOf(runtime.runs.resume(run.id)), 'run_not_found', 'it has nothing of its own to go on from')
  }
  assert.is(calls(), 1)
  await runtime.close()
})

test('one that has begun has what it goes on from', async () => {
  const { runtime, id, calls, open } = await afterFailure()
  const { id: next } = await runtime.runs.resume(id)
  open()
  await ended(runtime, next)
  await runtime.runs.delete(id)
  assert.is((await runtime.runs.get(next)).status, 'completed')
  assert.is(calls(), 1)
  await runtime.close()
})

test('the file of a run that is removed while it is read has no end, so that nobody takes it in', async () => {
  const store = createMemoryStore()
  let isRemoved = false
  const slow = wrapStore(store, async (path, args, call) => {
    if (path === 'steps' && isRemoved) await store.runs.delete(String(args[0]))
    return call(args)
  })
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't1', callId: 'call-1', agentId: 'agent-1', tool: 'act', args: {} })
      return execution('done')
    },
  })
  const runtime = await start([act, model(), toolbox(tool('act', async () => ({ content: [] })))], { store: slow })
  const { id } = await runtime.runs.create({ task: 'x' })
  await ended(runtime, id)
  isRemoved = true
  const chunks: Uint8Array[] = []
  const read = async (): Promise<void> => {
    for await (const chunk of runtime.runs.export(id)) chunks.push(chunk)
  }
  assert.is(await codeOf(read()), 'run_not_found')
  assert.not.match(Buffer.concat(chunks).toString(), '"end":')
  await runtime.close()
})

test.run()
