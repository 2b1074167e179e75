import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Commit, Lease, Store } from '../src/index.ts'
import { createMemoryStore } from '../src/index.ts'
import { checkStore } from '../src/testing/index.ts'

const test = suite('checkStore')

/** A store in memory, changed in one place. */
const spoilt = (spoil: (store: Store) => Partial<Store>) => ({
  left: true,
  open: async (clock: () => number) => {
    const store = createMemoryStore({ clock })
    const changed = spoil(store)
    const proxy = new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(name in changed ? changed : target, name)
        return typeof value === 'function' ? value.bind(name in changed ? changed : target) : value
      },
    })
    return { store: proxy, other: proxy, close: async () => {} }
  },
})

const problemsOf = async (spoil: (store: Store) => Partial<Store>): Promise<string> =>
  (await checkStore(spoilt(spoil))).join('\n')

test('the store in memory keeps the contract', async () => {
  assert.equal(await checkStore(spoilt(() => ({}))), [])
})

test('a store that answers with promises keeps it as well', async () => {
  assert.equal(
    await checkStore(
      spoilt((store) => ({
        commit: async (lease: Lease, write: Commit) => store.commit(lease, write),
        steps: async (id) => store.steps(id),
      })),
    ),
    [],
  )
})

test('a store that lets a stale lease write is found out', async () => {
  const epochs = new Map<string, Lease>()
  const found = await problemsOf((store) => ({
    claim: async (owner, options) => {
      const claimed = await store.claim(owner, options)
      for (const { lease } of claimed) epochs.set(lease.runId, lease)
      return claimed
    },
    commit: (lease, write) => store.commit(epochs.get(lease.runId) ?? lease, write),
  }))
  assert.match(found, 'a stale lease writes nothing: nothing was thrown instead of lease_lost')
})

test('a store that forgets priorities, or that a run ought to have begun, is found out', async () => {
  const forgetful = await problemsOf((store) => ({
    create: (row, ...rest) => {
      const { priority: _, ...create } = row.create
      return store.create({ ...row, create }, ...rest)
    },
  }))
  assert.match(forgetful, 'the highest priority is claimed first, of equal ones the oldest: the first three: 012')
  assert.match(forgetful, 'a priority counts behind any number of others, and changes no order in a thread: the first')
  const late = await problemsOf((store) => ({
    runs: { ...store.runs, list: ({ late: _, ...query } = {}) => store.runs.list(query) },
  }))
  assert.match(late, 'a queued run that ought to have begun is listed as late: late runs at first')
})

test('a store that shares outcomes, forgets commands or leaves something of a removed run is found out', async () => {
  const outcomes = new Map<string, unknown>()
  assert.match(
    await problemsOf((store) => ({
      commit: (lease, write) => {
        for (const { key, outcome } of write.steps ?? []) if (outcome !== undefined) outcomes.set(key, outcome)
        return store.commit(lease, write)
      },
      steps: async (id) => (await store.steps(id)).map((row) => ({ ...row, outcome: outcomes.get(row.key) })),
    })),
    'a recorded outcome belongs to nobody',
  )
  assert.match(await problemsOf(() => ({ commands: async () => [] })), 'a command is kept until it is taken')
  assert.match(await problemsOf(() => ({ events: { list: () => [] } }) as Partial<Store>), 'events')
})

test.run()
