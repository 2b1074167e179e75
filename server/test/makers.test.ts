/** Who made a run is kept with it over restarts, in both stores, and who takes it up gives it no more than both may. */
import type { SvcConfig } from '@svc/core'
import * as assert from 'uvu/assert'
import { missing, type Postgres, startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import type { ScopedKey } from '../src/index.ts'
import { makeFolder } from './fixtures/folder.ts'
import { type OpenOptions, openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('makers of runs')

const KEYS: readonly ScopedKey[] = [
  { name: 'ci', key: 'ci-key', scopes: ['submit'] },
  { name: 'bot', key: 'bot-key', scopes: ['submit'] },
]
const OWNER = 'owner-key'
const task = 'What is 6 times 7?'
const postgres = missing === undefined ? await startPostgres() : undefined
test.after(() => postgres?.close())

function inPostgres(server: Postgres): NewStore {
  const open = () => {
    const url = server.newDatabase()
    return (config: SvcConfig = {}) => ({ config: { ...config, store: { url } } })
  }
  return ['PostgreSQL', open]
}

/** Where runs are kept, as the options of a server that uses it. */
type NewStore = readonly [name: string, open: () => (config?: SvcConfig) => OpenOptions]
const STORES: readonly NewStore[] = [
  [
    'SQLite',
    () => {
      const dir = makeFolder()
      return (config = {}) => ({ config, runtime: { persist: { dir } } })
    },
  ],
  ...(postgres === undefined ? [] : [inPostgres(postgres)]),
]

for (const [name, newStore] of STORES) {
  test(`${name}: a restarted server knows whose each run is, and shows it to nobody else`, async () => {
    const options = newStore()
    const server = { keys: () => [OWNER, ...KEYS] }
    const before = await openServer({ ...options(), server })
    const { id } = (await before.askAs({ 'x-api-key': 'ci-key' }, 'POST', '/v1/runs?wait=60000', { task })).json
    await before.close()
    const after = await openServer({ ...options(), server })
    const of = async (key: string) => {
      const headers = { 'x-api-key': key }
      const { status, json } = await after.askAs(headers, 'GET', `/v1/runs/${id}`)
      const { total } = (await after.askAs(headers, 'GET', '/v1/runs-summary')).json
      return [status, json.by, total, ((await after.askAs(headers, 'GET', '/v1/runs')).json.data as unknown[]).length]
    }
    assert.equal(await of('ci-key'), [200, 'ci', 1, 1])
    assert.equal(await of('bot-key'), [404, undefined, 0, 0])
    assert.equal(await of(OWNER), [200, 'ci', 1, 1])
    const log = (await after.askAs({ 'x-api-key': 'ci-key' }, 'GET', `/v1/runs/${id}/events?limit=1`)).json
    assert.match(JSON.stringify(log.data), '"by":"ci"')
    assert.equal((await after.askAs({ 'x-api-key': 'ci-key' }, 'POST', `/v1/runs/${id}/replay`)).json, {
      identical: true,
    })
  })

  test(`${name}: another server that takes up a run gives it no more than its own config and the maker's`, async () => {
    const options = newStore()
    const keyed = { keys: () => [OWNER, ...KEYS] }
    // The model asks for more and more, so that the limit of calls is what ends the run.
    const script = (): object => ({ toolCalls: [{ tool: 'calculate', args: { expression: `${Math.random()} + 1` } }] })
    const make = async (key: string) => {
      const first = await openServer({
        ...options({ budget: { maxSteps: 12 } }),
        runtime: { ...options().runtime, claims: 'none' },
        server: keyed,
      })
      const { id } = (
        await first.askAs({ 'x-api-key': key }, 'POST', '/v1/runs', {
          task,
          topology: 'SINGLE',
          budget: { maxSteps: 9 },
        })
      ).json
      await first.close()
      return String(id)
    }
    const takeUp = async (id: string) => {
      const strict = await openServer({
        ...options({ budget: { maxSteps: 2 } }),
        script: script as never,
        server: keyed,
      })
      const { usage } = await strict.runtime.runs.wait(id, 60_000)
      await strict.close()
      return usage.modelCalls
    }
    assert.ok((await takeUp(await make('ci-key'))) <= 2, 'who may not loosen anything')
    assert.ok((await takeUp(await make(OWNER))) > 2, 'the owner, whose request counts')
  })
}

test.run()
