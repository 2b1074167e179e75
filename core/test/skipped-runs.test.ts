/** Runs that a process cannot work on: what it lacks is said once, and who can works on them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Runtime, RuntimeSettings, Store } from '../src/index.ts'
import { createMemoryStore, definePlugin } from '../src/index.ts'
import { scriptedProvider } from '../src/testing/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { ended, model, settled, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('runs that are left to others')

/** A handle on a store that says when a process has looked for runs so many times. */
function watch(store: Store) {
  const { store: watched, faults } = faultyStore(store)
  return { store: watched, looks: (times: number) => until(() => (faults.calls.get('claim') ?? 0) >= times) }
}

/** What a person is warned of meanwhile. */
async function said(work: () => Promise<void>): Promise<string[]> {
  const lines: string[] = []
  const onWarning = ({ message }: Error): void => void lines.push(message)
  process.on('warning', onWarning)
  try {
    await work()
    await settled()
  } finally {
    process.off('warning', onWarning)
  }
  return lines
}

interface Case {
  /** What the first process has and the second has not. */
  more: Parameters<typeof start>[0]
  create?: Parameters<Runtime['runs']['create']>[0]
  settings?: [Partial<RuntimeSettings>, Partial<RuntimeSettings>]
  /** The first process is gone when the run is at work. */
  isBegun?: boolean
  says: RegExp
}

const helper = tool('helper', async () => 'helped')
const other = definePlugin('other', ({ providers }) =>
  providers.add(
    'other',
    scriptedProvider('other', () => 'x'),
  ),
)()
const cases: Record<string, Case> = {
  'a provider that is not here': {
    more: [other],
    create: { task: 'x', model: 'other/some' },
    says: /cannot be worked on here.*other/,
  },
  'a tool that was asked for': {
    more: [toolbox(helper)],
    create: { task: 'x', tools: { allow: ['helper'] } },
    says: /cannot be worked on here.*helper/,
  },
  'a tool that was used': {
    more: [toolbox(helper)],
    isBegun: true,
    says: /cannot be worked on here.*it has used the tool helper, which is not here/,
  },
  'another project': {
    more: [],
    settings: [{ space: '/projects/a' }, { space: '/projects/b' }],
    says: /left to others.*it was begun in \/projects\/a.*this process works for \/projects\/b/,
  },
}

for (const [name, { more, create = { task: 'x' }, settings = [{}, {}], isBegun = false, says }] of Object.entries(
  cases,
)) {
  test(`${name}: the run stays for who can, and that is said once`, async () => {
    const store: Store = createMemoryStore()
    const { store: mortal, faults } = faultyStore(store)
    let isCut = !isBegun
    const act = tiny({
      execute: async (run) => {
        if (run.options.tools === undefined && more.length > 0 && !isCut) {
          await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'helper', args: {} }).catch(() => {})
        }
        if (!isCut) {
          isCut = true
          await run.model({ key: 'm', agentId: 'agent-1', model: '', messages: [], stream: false })
          faults.die()
          return new Promise(() => {})
        }
        return execution('done')
      },
    })
    const able = [...more, act, model()]
    const first = await start(able, { store: mortal, claims: isBegun ? 'all' : 'none', ...settings[0] })
    const { id } = await first.runs.create(create)
    await until(() => isCut)
    if (isBegun) await store.release({ runId: id, owner: '', epoch: 1, expiresAt: 0 })
    const lines = await said(async () => {
      const watched = watch(store)
      const unable = await start([act, model()], { store: watched.store, leaseMs: 60, ...settings[1] })
      await watched.looks(4)
      assert.not.ok(['completed', 'failed'].includes((await unable.runs.get(id, { all: true })).status))
      await unable.close()
    })
    assert.is(lines.length, 1, lines.join('\n'))
    assert.match(lines.join(''), says)
    const able2 = await start(able, { store, ...settings[0] })
    await ended(able2, id)
    assert.is((await able2.runs.get(id)).status, 'completed')
    await able2.close()
  })
}

test('of another project it is said once, however many runs there are', async () => {
  const store = createMemoryStore()
  const first = await start([tiny(), model()], { store, claims: 'none', space: '/projects/a' })
  for (let n = 0; n < 20; n++) await first.runs.create({ task: `${n}` })
  assert.is((await first.runs.list({ limit: 1 })).data[0]?.space, '/projects/a')
  const lines = await said(async () => {
    const watched = watch(store)
    const second = await start([tiny(), model()], { store: watched.store, leaseMs: 60, space: '/projects/b' })
    await watched.looks(4)
    await second.close()
  })
  assert.is(lines.length, 1)
})

test.run()
