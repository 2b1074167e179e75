/** What a process says of itself: its probes, what waits in its store, and how its provider does. */
import { CapacityError, definePlugin, ProviderError, type SvcConfig } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { missing, type Postgres, startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { makeFolder } from './fixtures/folder.ts'
import { posting, postingScript } from './fixtures/good-requests.ts'
import { type OpenOptions, type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'
import { until } from './fixtures/until.ts'

const test = serverSuite('probes')

const postgres = missing === undefined ? await startPostgres() : undefined
test.after(() => postgres?.close())

const task = 'What is 6 times 7?'
const metricsOf = async (world: OpenServer): Promise<string> => (await world.ask('GET', '/metrics')).text
const numberOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}
/** Waits until a series has a value that fits. */
const untilMetric = (world: OpenServer, series: string, fits: (value: number) => boolean): Promise<void> =>
  until(async () => {
    const value = numberOf(await metricsOf(world), series)
    return value !== undefined && fits(value)
  })

test('a port of probes serves them and metrics to everybody who reaches it, and nothing else', async () => {
  const world = await openServer({ server: { probesOnly: true, host: '0.0.0.0', keys: () => ['first-key'] } })
  const at = (path: string, host = 'pod-7.internal:4001') => world.askAs({ host }, 'GET', path)
  for (const path of ['/livez', '/readyz', '/health', '/metrics']) assert.is((await at(path)).status, 200, path)
  const local = await openServer({ server: { probesOnly: true, keys: () => ['first-key'] } })
  const authorized = { authorization: 'Bearer first-key' }
  for (const path of ['/v1/runs', '/v1/session', '/console/', '/openapi.json', '/v1/models', '/mcp'])
    assert.is((await local.askAs(authorized, 'GET', path)).status, 404, path)
  assert.is((await local.askAs(authorized, 'POST', '/execute', { task })).status, 404)
  assert.match((await at('/metrics')).text, /^svc_store_up\{code="ok"\} 1$/m)
})

test('a port of probes keeps metrics behind the key where the config says so', async () => {
  const world = await openServer({
    server: { probesOnly: true, metrics: { auth: true }, keys: () => ['first-key'] },
  })
  assert.is((await world.ask('GET', '/metrics')).status, 401)
  assert.is((await world.askAs({ 'x-api-key': 'first-key' }, 'GET', '/metrics')).status, 200)
  assert.is((await world.ask('GET', '/readyz')).status, 200)
})

const REFUSED = () => ({ error: new ProviderError('provider_auth', 'the key was revoked', { provider: 'scripted' }) })

test('a refused key of the provider is said by health and readyz, which stays ready, until a call succeeds', async () => {
  let isRefused = true
  const world = await openServer({ script: () => (isRefused ? REFUSED() : 'The answer is 42.') })
  assert.is((await world.ask('GET', '/health')).json.status, 'ok')
  await world.ask('POST', '/execute', { body: { task } })
  const ready = await world.ask('GET', '/readyz?verbose')
  assert.is(ready.status, 200)
  assert.match(ready.text, /^\[!\]provider provider_auth$/m)
  const health = await world.ask('GET', '/health')
  assert.is(health.status, 200)
  assert.is(health.json.status, 'degraded')
  assert.is((health.json.checks as Record<string, string>).provider, 'provider_auth')
  const text = await metricsOf(world)
  assert.ok((numberOf(text, 'svc_provider_errors_total{provider="scripted",code="provider_auth"}') ?? 0) > 0)
  assert.is(numberOf(text, 'svc_runs_failed_total{code="provider_auth"}'), 1)
  assert.is(numberOf(text, 'svc_provider_up{provider="scripted",code="provider_auth"}'), 0)
  isRefused = false
  await world.ask('POST', '/execute', { body: { task } })
  assert.is((await world.ask('GET', '/health')).json.status, 'ok')
  assert.match((await world.ask('GET', '/readyz?verbose')).text, /^\[\+\]provider ok$/m)
  assert.is(numberOf(await metricsOf(world), 'svc_provider_up{provider="scripted",code="ok"}'), 1)
})

test('a default model that cannot be found is said before a run has failed for it', async () => {
  const { defaultModel: _, ...models } = scriptedProvider('strict', () => '')
  const strict = definePlugin('strict', ({ providers }) =>
    providers.add('strict', { ...models, models: async () => Promise.reject(REFUSED().error) }),
  )
  const world = await openServer({ config: { model: 'strict' }, plugins: [strict()] })
  const health = await world.ask('GET', '/health')
  assert.is(health.json.status, 'degraded')
  assert.equal((health.json.checks as Record<string, string>).provider, 'provider_auth')
  assert.match((await world.ask('GET', '/readyz?verbose')).text, /^\[!\]provider provider_auth$/m)
  assert.is(numberOf(await metricsOf(world), 'svc_provider_up{provider="none",code="provider_auth"}'), 0)
})

test('an approval that nobody answers gets older, and is gone once it is answered', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  await untilMetric(world, 'svc_approval_age_seconds', (age) => age === 0)
  await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Post a message to the team' } })
  await untilMetric(world, 'svc_approval_age_seconds', (age) => age > 1)
  const { json } = await world.ask('GET', '/v1/approvals?status=pending')
  const [asked] = json.data as { id: string }[]
  await world.ask('POST', `/v1/approvals/${asked?.id}`, { body: { decision: 'approve' } })
  await untilMetric(world, 'svc_approval_age_seconds', (age) => age === 0)
})

test('a store that fails is named by its code, and metrics are there all the same', async () => {
  const said: string[] = []
  const onWarning = ({ message }: Error): void => void said.push(message)
  process.on('warning', onWarning)
  const world = await openServer()
  world.runtime.assertWritable = async () => {
    throw new CapacityError('disk_full', 'no space left')
  }
  world.runtime.runs.list = async () => new Promise(() => {})
  world.runtime.memory.counts = async () => new Promise(() => {})
  const text = await metricsOf(world)
  assert.is(numberOf(text, 'svc_store_up{code="disk_full"}'), 0)
  assert.is(numberOf(text, 'svc_queue_age_seconds'), undefined)
  await untilMetric(world, 'svc_store_operation_duration_seconds_count{operation="check"}', (count) => count > 0)
  const ready = await world.ask('GET', '/readyz?verbose')
  assert.is(ready.status, 503)
  assert.match(ready.text, /^\[-\]store disk_full$/m)
  process.off('warning', onWarning)
  assert.equal(said, ['the store takes no write: no space left [disk_full]'])
})

const STORES: readonly [name: string, open: () => (config?: SvcConfig) => OpenOptions][] = [
  [
    'SQLite',
    () => {
      const dir = makeFolder()
      return (config = {}) => ({ config, runtime: { persist: { dir } } })
    },
  ],
  ...(postgres === undefined ? [] : [inPostgres(postgres)]),
]

function inPostgres(server: Postgres): (typeof STORES)[number] {
  const open = () => {
    const url = server.newDatabase()
    return (config: SvcConfig = {}) => ({ config: { ...config, store: { url } } })
  }
  return ['PostgreSQL', open]
}

for (const [name, newStore] of STORES) {
  test(`${name}: every process says how long the oldest run has waited, also where another process took it in`, async () => {
    const options = newStore()
    const making = options()
    const maker = await openServer({ ...making, runtime: { ...making.runtime, claims: 'none' } })
    const { id } = (await maker.ask('POST', '/v1/runs', { body: { task } })).json
    const watching = await openServer({
      ...options(),
      runtime: { ...options().runtime, claims: 'none' },
      server: { probesOnly: true },
    })
    for (const world of [maker, watching]) await untilMetric(world, 'svc_queue_age_seconds', (age) => age > 1)
    const worker = await openServer(options())
    await until(async () => (await worker.runtime.runs.get(id as string)).status === 'completed')
    for (const world of [maker, watching]) await untilMetric(world, 'svc_queue_age_seconds', (age) => age === 0)
    for (const operation of ['write', 'check', 'read']) {
      const series = `svc_store_operation_duration_seconds_count{operation="${operation}"}`
      await untilMetric(worker, series, (count) => count > 0)
    }
  })
}

test.run()
