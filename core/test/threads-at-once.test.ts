/** Conversations that are changed and removed while others change them, and while runs wait in them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore } from '../src/index.ts'
import { codeOf, ended, model, settled, start, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'
import { wrapStore } from './fixtures/wrapped-store.ts'

const test = suite('conversations at the same moment')

/** A runtime whose reads of conversations are answered when they are let through. */
async function withSlowReads() {
  const store = createMemoryStore()
  let reads: (() => void)[] = []
  let isSlow = false
  const slow = wrapStore(store, async (path, args, call) => {
    const answer = call(args)
    if (isSlow && path === 'threads.get') await new Promise<void>((resolve) => reads.push(resolve))
    return answer
  })
  const runtime = await start([tiny(), model()], { store: slow })
  const { id } = await runtime.threads.create({ title: 'First', metadata: { kept: true } })
  isSlow = true
  /** Lets the reads through once so many wait; later ones do not. */
  const letThrough = async (count: number): Promise<void> => {
    await until(() => reads.length === count)
    isSlow = false
    for (const resolve of reads) resolve()
    reads = []
  }
  return { runtime, store, id, letThrough }
}

test('of two changes at the same moment neither is lost', async () => {
  const { runtime, id, letThrough } = await withSlowReads()
  const changes = [runtime.threads.update(id, { title: 'Second' }), runtime.threads.update(id, { metadata: { a: 1 } })]
  await letThrough(2)
  await Promise.all(changes)
  const { title, metadata, version } = await runtime.threads.get(id)
  assert.equal([title, metadata, version], ['Second', { kept: true, a: 1 }, 3])
  await runtime.close()
})

test('one that is removed while it is changed stays removed', async () => {
  const { runtime, store, id, letThrough } = await withSlowReads()
  const change = codeOf(runtime.threads.update(id, { title: 'Second' }))
  await settled()
  await store.threads.delete(id)
  await letThrough(1)
  assert.is(await change, 'thread_not_found')
  assert.is(await store.threads.get(id), undefined)
  await runtime.close()
})

test('a run that waits in one that is removed fails, and does not wait for ever', async () => {
  let isAtWork = false
  let open = (): void => {}
  const act = tiny({
    execute: async () => {
      isAtWork = true
      await new Promise<void>((resolve) => {
        open = resolve
      })
      return execution('done')
    },
  })
  const runtime = await start([act, model()])
  const { id: threadId } = await runtime.threads.create()
  const first = await runtime.runs.create({ task: 'x', threadId })
  await until(() => isAtWork)
  const { id } = await runtime.runs.create({ task: 'y', threadId })
  await runtime.threads.delete(threadId)
  open()
  await ended(runtime, first.id)
  await ended(runtime, id)
  const { status, error } = await runtime.runs.get(id)
  assert.equal([status, error?.code], ['failed', 'thread_not_found'])
  await runtime.close()
})

test.run()
