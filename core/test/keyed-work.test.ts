import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { KeyedWork } from '../src/runtime/runs/service/keyed-work.ts'
import { createMemoryStore } from '../src/runtime/stores/memory-store.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { until } from './fixtures/runtimes.ts'

const test = suite('work that is done once for a key')

const request = { scope: 'anyone POST /v1/memory', key: 'key-1', bodyHash: 'hash-1' }

function open() {
  let now = 1_000_000
  const { store, faults } = faultyStore(createMemoryStore({ clock: () => now }))
  const keyed = new KeyedWork({ store, clock: () => now })
  const pass = (ms: number): void => {
    now += ms
  }
  return { store, keyed, faults, pass }
}

test('a day later the key is free again, and within it nothing is done twice', async () => {
  const { keyed, pass } = open()
  let done = 0
  const work = async (): Promise<string> => `made-${++done}`
  assert.equal(await keyed.once(request, work), { id: 'made-1', isReplayed: false })
  pass(86_399_999)
  assert.equal(await keyed.once(request, work), { id: 'made-1', isReplayed: true })
  pass(1)
  assert.equal(await keyed.once(request, work), { id: 'made-2', isReplayed: false })
})

test('what a process began that is gone is done again after it was silent, and says so', async () => {
  const { store, keyed, faults, pass } = open()
  const gone = new KeyedWork({ store, clock: () => 1_000_000 })
  await new Promise<void>((begun) => {
    void gone.once(request, () => {
      begun()
      return new Promise<string>(() => {})
    })
  })
  const seen: boolean[] = []
  const next = keyed.once(request, async (isAgain) => {
    seen.push(isAgain)
    return 'made'
  })
  await until(() => (faults.calls.get('answers.get') ?? 0) >= 3) // it asks again and again whether that is done
  assert.equal(seen, [])
  pass(15_001)
  assert.equal(await next, { id: 'made', isReplayed: false })
  assert.equal(seen, [true])
})

test('keys that have run out do not pile up, and no key or body is kept as it is', async () => {
  const { store, keyed, pass } = open()
  for (let i = 0; i < 100; i++) await keyed.once({ ...request, key: `secret-key-${i}` }, async () => 'made')
  const page = await store.answers.list({ limit: 100 })
  assert.not.match(JSON.stringify(page), /secret|anyone/)
  pass(86_400_000)
  for (let i = 0; i < 64; i++) await keyed.once({ ...request, key: `later-${i}` }, async () => 'made')
  assert.ok((await store.answers.list({ limit: 100 })).data.length <= 65)
})

test.run()
